#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define RESULT float
#include "types/float_values.glsl"
#include "families/elementwise.glsl"
#include "families/prologue.glsl"
#include "math/erf.glsl"

float compute(float a) {
    a = before(a);
    switch (OP) {
    case ERF: return float_erf(a);
    }
    return a;
}

void main() { run(); }
