#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT float
#include "types/float_values.glsl"
#include "families/elementwise.glsl"
#include "families/prologue.glsl"
#include "math/power.glsl"

float compute(float a, float b) {
    a = before(a);
    switch (OP) {
    case POW: return float_pow(a, b);
    }
    return a;
}

void main() { run(); }
