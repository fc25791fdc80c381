#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT bool
#include "types/int_values.glsl"
#include "families/elementwise.glsl"
#include "math/int.glsl"

#define SIGNED is_signed_int(COMMON)

bool compute(uint a, uint b) {
    switch (OP) {
    case EQUAL: return a == b;
    case NOT_EQUAL: return !(a == b);
    case LESS: return int_less(a, b, SIGNED);
    case LESS_EQUAL: return !int_less(b, a, SIGNED);
    case GREATER: return int_less(b, a, SIGNED);
    case GREATER_EQUAL: return !int_less(a, b, SIGNED);
    case LOGICAL_AND: return (a != 0u) && (b != 0u);
    case LOGICAL_OR: return (a != 0u) || (b != 0u);
    case LOGICAL_XOR: return (a != 0u) != (b != 0u);
    case LOGICAL_NOT: return !(a != 0u);
    case ISFINITE: return true;
    }
    return false;  // ISNAN and ISINF
}

void main() { run(); }
