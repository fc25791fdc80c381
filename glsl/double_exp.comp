#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define RESULT uvec2
#include "types/double_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_exp.glsl"

uvec2 compute(uvec2 a) {
    switch (OP) {
    case EXP: return double_exp(a);
    case EXP2: return double_exp2(a);
    case EXPM1: return double_expm1(a);
    case SINH: return double_sinh(a);
    case COSH: return double_cosh(a);
    case TANH: return double_tanh(a);
    }
    return a;
}

void main() { run(); }
