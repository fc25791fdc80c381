#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT bool
#include "types/float_values.glsl"
#include "families/elementwise.glsl"
#include "math/round.glsl"

bool truth(float x) { return float_magnitude(x) != 0; }

bool compute(float a, float b) {
    uint magnitude = float_magnitude(a);
    bool infinite = magnitude == FLOAT_INFINITY, negative = floatBitsToUint(a) != magnitude;
    switch (OP) {
    case EQUAL: return float_equal(a, b);
    case NOT_EQUAL: return !float_equal(a, b);
    case LESS: return float_less(a, b);
    case LESS_EQUAL: return float_less(a, b) || float_equal(a, b);
    case GREATER: return float_less(b, a);
    case GREATER_EQUAL: return float_less(b, a) || float_equal(a, b);
    case LOGICAL_AND: return truth(a) && truth(b);
    case LOGICAL_OR: return truth(a) || truth(b);
    case LOGICAL_XOR: return truth(a) != truth(b);
    case LOGICAL_NOT: return !truth(a);
    case ISNAN: return magnitude > FLOAT_INFINITY;
    case ISINF: return infinite;
    case ISPOSINF: return infinite && !negative;
    case ISNEGINF: return infinite && negative;
    case ISFINITE: return magnitude < FLOAT_INFINITY;
    case SIGNBIT: return negative;
    }
    return false;
}

void main() { run(); }
