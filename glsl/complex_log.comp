#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define RESULT uvec4
#include "types/double_complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/complex_arc.glsl"

uvec4 compute(uvec4 a) {
    switch (OP) {
    case LOG: return double_complex_log(a, EXTENDED_ONE);
    case LOG2: return double_complex_log(a, EXTENDED_LOG2_E);
    case LOG10: return double_complex_log(a, EXTENDED_LOG10_E);
    case LOG1P: return double_complex_log1p(a);
    case ASINH: return double_complex_asinh(a);
    case ACOSH: return double_complex_acosh(a);
    case ATANH: return double_complex_atanh(a);
    }
    return a;
}

void main() { run(); }
