#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT bool
#include "types/long_values.glsl"
#include "families/elementwise.glsl"

#define SIGNED is_signed_int(COMMON)

bool compute(uvec2 a, uvec2 b) {
    switch (OP) {
    case EQUAL: return long_equal(a, b);
    case NOT_EQUAL: return !(long_equal(a, b));
    case LESS: return long_less(a, b, SIGNED);
    case LESS_EQUAL: return !long_less(b, a, SIGNED);
    case GREATER: return long_less(b, a, SIGNED);
    case GREATER_EQUAL: return !long_less(a, b, SIGNED);
    case LOGICAL_AND: return !long_is_zero(a) && !long_is_zero(b);
    case LOGICAL_OR: return !long_is_zero(a) || !long_is_zero(b);
    case LOGICAL_XOR: return !long_is_zero(a) != !long_is_zero(b);
    case LOGICAL_NOT: return long_is_zero(a);
    case ISFINITE: return true;
    }
    return false;  // ISNAN and ISINF
}

void main() { run(); }
