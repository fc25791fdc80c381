#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define RESULT uvec4
#include "types/double_complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/complex_exp.glsl"

uvec4 compute(uvec4 a) {
    switch (OP) {
    case EXP: return double_complex_exp(a);
    case EXPM1: return double_complex_expm1(a);
    case SINH: return double_complex_sinh(a);
    case COSH: return double_complex_cosh(a);
    case TANH: return double_complex_tanh(a);
    }
    return a;
}

void main() { run(); }
