#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT uint
#include "types/int_values.glsl"
#include "families/elementwise.glsl"
#include "math/int.glsl"

#define SIGNED is_signed_int(COMMON)

uint int_smaller(uint a, uint b) { return int_less(b, a, SIGNED) ? b : a; }
uint int_larger(uint a, uint b) { return int_less(a, b, SIGNED) ? b : a; }

// Without overflow of the sum, and rounded towards zero.
uint mean(uint a, uint b) {
    uint down = (a & b) + int_shift_right(a ^ b, 1u, SIGNED);
    return down + ((a ^ b) & uint(int_is_negative(down, SIGNED)) & 1u);
}

uint compute(uint a, uint b) {
    bool negative = int_is_negative(a, SIGNED);
    uint low = push.scalars[0], high = push.scalars[1];
    switch (OP) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case TRUNC_DIVIDE: return int_divide_truncate(a, b, SIGNED);
    case FLOOR_DIVIDE: return int_divide_floor(a, b, SIGNED);
    case REMAINDER: return int_remainder(a, b, SIGNED);
    case FMOD: return int_fmod(a, b, SIGNED);
    case POW: return int_pow(a, b, SIGNED);
    case MAXIMUM: return int_larger(a, b);
    case MINIMUM: return int_smaller(a, b);
    case MEAN_OF_TWO: return mean(a, b);
    case PARAMETERIZED_RELU: return negative ? a * b : a;
    case DIFFERENCE_SQUARE: return (a - b) * (a - b);
    case NEGATIVE: return 0u - a;
    case ABS: return negative ? 0u - a : a;
    case SIGN: return negative ? 0xffffffffu : uint(a != 0u);
    case SQUARE: return a * a;
    case BITWISE_AND: return a & b;
    case BITWISE_OR: return a | b;
    case BITWISE_XOR: return a ^ b;
    case BITWISE_LEFT_SHIFT: return int_shift_left(a, b);
    case BITWISE_RIGHT_SHIFT: return int_shift_right(a, b, SIGNED);
    case BITWISE_INVERT: return COMMON == BOOL ? 1u - a : ~a;
    case BITWISE_COUNT: return uint(bitCount(negative ? 0u - a : a));
    case CLIP: return int_smaller(int_larger(a, low), high);
    case CLIP_GRAD: return int_less(low, a, SIGNED) && int_less(a, high, SIGNED) ? b : 0u;
    }
    return a;  // Rounding, and `positive`.
}

void main() { run(); }
