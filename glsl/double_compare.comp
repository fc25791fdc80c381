#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT bool
#include "types/double_values.glsl"
#include "families/elementwise.glsl"
#include "math/double.glsl"

bool compute(uvec2 a, uvec2 b) {
    bool truth = !double_is_zero(a), other = !double_is_zero(b);
    switch (OP) {
    case EQUAL: return double_equal(a, b);
    case NOT_EQUAL: return !double_equal(a, b);
    case LESS: return double_less(a, b);
    case LESS_EQUAL: return double_less(a, b) || double_equal(a, b);
    case GREATER: return double_less(b, a);
    case GREATER_EQUAL: return double_less(b, a) || double_equal(a, b);
    case LOGICAL_AND: return truth && other;
    case LOGICAL_OR: return truth || other;
    case LOGICAL_XOR: return truth != other;
    case LOGICAL_NOT: return !truth;
    case ISNAN: return double_is_nan(a);
    case ISINF: return double_is_infinite(a);
    case ISPOSINF: return long_equal(a, DOUBLE_INFINITY);
    case ISNEGINF: return long_equal(double_negate(a), DOUBLE_INFINITY);
    case ISFINITE: return double_is_finite(a);
    case SIGNBIT: return double_is_negative(a);
    }
    return false;
}

void main() { run(); }
