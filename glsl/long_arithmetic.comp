#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT uvec2
#include "types/long_values.glsl"
#include "families/elementwise.glsl"

#define SIGNED is_signed_int(COMMON)

uvec2 long_smaller(uvec2 a, uvec2 b) { return long_less(b, a, SIGNED) ? b : a; }
uvec2 long_larger(uvec2 a, uvec2 b) { return long_less(a, b, SIGNED) ? b : a; }

uvec2 compute(uvec2 a, uvec2 b) {
    bool negative = long_is_negative(a, SIGNED);
    uvec2 low = uvec2(push.scalars[0], push.scalars[1]);
    uvec2 high = uvec2(push.scalars[2], push.scalars[3]);
    switch (OP) {
    case ADD: return long_add(a, b);
    case SUBTRACT: return long_subtract(a, b);
    case MULTIPLY: return long_multiply(a, b);
    case TRUNC_DIVIDE: return long_divide_truncate(a, b, SIGNED);
    case FLOOR_DIVIDE: return long_divide_floor(a, b, SIGNED);
    case REMAINDER: return long_remainder(a, b, SIGNED);
    case FMOD: return long_fmod(a, b, SIGNED);
    case POW: return long_pow(a, b, SIGNED);
    case MAXIMUM: return long_larger(a, b);
    case MINIMUM: return long_smaller(a, b);
    case DIFFERENCE_SQUARE: return long_multiply(long_subtract(a, b), long_subtract(a, b));
    case NEGATIVE: return long_negate(a);
    case ABS: return long_magnitude(a, SIGNED);
    case SIGN: return negative ? uvec2(0xffffffffu) : uvec2(!long_is_zero(a), 0u);
    case SQUARE: return long_multiply(a, a);
    case BITWISE_AND: return a & b;
    case BITWISE_OR: return a | b;
    case BITWISE_XOR: return a ^ b;
    case BITWISE_LEFT_SHIFT: return long_shift_left(a, b);
    case BITWISE_RIGHT_SHIFT: return long_shift_right(a, b, SIGNED);
    case BITWISE_INVERT: return ~a;
    case BITWISE_COUNT: return uvec2(long_bit_count(long_magnitude(a, SIGNED)), 0u);
    case CLIP: return long_smaller(long_larger(a, low), high);
    case CLIP_GRAD: return long_less(low, a, SIGNED) && long_less(a, high, SIGNED) ? b : uvec2(0u);
    }
    return a;  // Rounding, and `positive`.
}

void main() { run(); }
