#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT bool
#include "types/double_complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_complex.glsl"

bool compute(uvec4 a, uvec4 b) {
    bool truth = !double_complex_is_zero(a), other = !double_complex_is_zero(b);
    switch (OP) {
    case EQUAL: return double_complex_equal(a, b);
    case NOT_EQUAL: return !double_complex_equal(a, b);
    case LOGICAL_AND: return truth && other;
    case LOGICAL_OR: return truth || other;
    case LOGICAL_XOR: return truth != other;
    case LOGICAL_NOT: return !truth;
    case ISNAN: return double_complex_is_nan(a);
    case ISINF: return double_complex_is_infinite(a);
    case ISFINITE: return !double_complex_is_nan(a) && !double_complex_is_infinite(a);
    }
    return false;
}

void main() { run(); }
