#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT float
#include "types/float_values.glsl"
#include "families/elementwise.glsl"
#include "families/prologue.glsl"
#include "math/arc.glsl"

float compute(float a, float b) {
    a = before(a);
    switch (OP) {
    case ASIN: return float_asin(a);
    case ACOS: return float_acos(a);
    case ATAN: return float_atan(a);
    case ATAN2: return float_atan2(a, b);
    }
    return a;
}

void main() { run(); }
