#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT uvec2
#include "types/double_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_power.glsl"
#include "math/double_roots.glsl"

uvec2 clipped(uvec2 a) {
    uvec2 low = uvec2(push.scalars[0], push.scalars[1]);
    uvec2 high = uvec2(push.scalars[2], push.scalars[3]);
    return double_min(double_max(a, low), high);
}

uvec2 compute(uvec2 a, uvec2 b) {
    switch (OP) {
    case ADD: return double_add(a, b);
    case SUBTRACT: return double_subtract(a, b);
    case MULTIPLY: return double_multiply(a, b);
    case DIVIDE: return double_divide(a, b);
    case FLOOR_DIVIDE: return double_floor_divide(a, b);
    case REMAINDER: return double_remainder(a, b);
    case FMOD: return double_fmod(a, b);
    case MAXIMUM: return double_max(a, b);
    case MINIMUM: return double_min(a, b);
    case MEAN_OF_TWO: return double_multiply(double_add(a, b), DOUBLE_HALF);
    case DIFFERENCE_SQUARE: a = double_subtract(a, b); return double_multiply(a, a);
    case RELU_GRAD: return double_less(uvec2(0u), a) ? b : uvec2(0u);
    case COPYSIGN: return double_copysign(a, b);
    case NEXTAFTER: return double_nextafter(a, b);
    case NEGATIVE: return double_negate(a);
    case ABS: return double_abs(a);
    case SIGN: return double_sign(a);
    case SQUARE: return double_multiply(a, a);
    case FLOOR: return double_floor(a);
    case CEIL: return double_ceil(a);
    case TRUNC: return double_trunc(a);
    case ROUND: return double_round(a);
    case SQRT: return double_sqrt(a);
    case RSQRT: return double_rsqrt(a);
    case HYPOT: return double_hypot(a, b);
    case RECIPROCAL: return double_divide(DOUBLE_ONE, a);
    case WHOLE_POWER: return double_whole_power(a, b);
    case CLIP: return clipped(a);
    case HEAVISIDE:
        if (double_is_nan(a) || double_is_zero(a)) return double_is_nan(a) ? a : b;
        return double_is_negative(a) ? uvec2(0u) : DOUBLE_ONE;
    }
    return a;
}

void main() { run(); }
