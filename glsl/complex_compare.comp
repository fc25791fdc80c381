#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT bool
#include "types/complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/complex.glsl"

bool compute(vec2 a, vec2 b) {
    bool truth = !complex_is_zero(a), other = !complex_is_zero(b);
    switch (OP) {
    case EQUAL: return complex_equal(a, b);
    case NOT_EQUAL: return !complex_equal(a, b);
    case LOGICAL_AND: return truth && other;
    case LOGICAL_OR: return truth || other;
    case LOGICAL_XOR: return truth != other;
    case LOGICAL_NOT: return !truth;
    case ISNAN: return complex_is_nan(a);
    case ISINF: return complex_is_infinite(a);
    case ISFINITE: return !complex_is_nan(a) && !complex_is_infinite(a);
    }
    return false;
}

void main() { run(); }
