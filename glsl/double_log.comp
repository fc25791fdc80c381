#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT uvec2
#include "types/double_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_log.glsl"

uvec2 compute(uvec2 a, uvec2 b) {
    switch (OP) {
    case LOG: return double_log(a);
    case LOG2: return double_log2(a);
    case LOG10: return double_log10(a);
    case LOG1P: return double_log1p(a);
    case ASINH: return double_asinh(a);
    case ACOSH: return double_acosh(a);
    case ATANH: return double_atanh(a);
    case LOGADDEXP: return double_logaddexp(a, b);
    }
    return a;
}

void main() { run(); }
