#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT float
#include "types/float_values.glsl"
#include "families/elementwise.glsl"
#include "families/prologue.glsl"
#include "math/fmod.glsl"
#include "math/hypot.glsl"
#include "math/round.glsl"

float half_nextafter(float a, float b) {
    // As a float32 with the same magnitude bits, a float16 has neighbours with the neighbouring bits.
    uint from = float_to_half(a), to = float_to_half(b);
    float start = uintBitsToFloat(from >> 15 << 31 | from & 0x7fff);
    uint next = floatBitsToUint(float_nextafter(start, uintBitsToFloat(to >> 15 << 31 | to & 0x7fff)));
    float stepped = half_to_float(next >> 31 << 15 | next & 0x7fff);
    return float_either_nan(a, b) ? uintBitsToFloat(FLOAT_NAN) : stepped;
}

const uint AWAY = 3;  // BEFORE of `round`: ties away from zero

float float_round_away(float a) {
    // The float below 1/2: added to 1/2 it gives 1, added to anything less it does not.
    float half_unit = uintBitsToFloat(0x3effffffu | floatBitsToUint(a) & FLOAT_SIGN);
    precise float sum = a + half_unit;
    return float_trunc(sum);
}

// a^3 or a^4: products from left to right, each rounded to the type of the elements.
float float_whole_power(float a, float b) {
    precise float power = a;
    for (float k = 1.5; k < b; k++) {
        power *= a;
        if (COMMON == FLOAT16) power = half_to_float(float_to_half(power));
    }
    return power;
}

float scalar(uint k) { return uintBitsToFloat(push.scalars[k]); }

float compute(float a, float b) {
    a = before(a);
    precise float result = a;
    switch (OP) {
    case ADD: result = a + b; break;
    case SUBTRACT: result = a - b; break;
    case MULTIPLY: result = a * b; break;
    case DIVIDE: result = float_divide(a, b); break;
    case FLOOR_DIVIDE: result = float_floor_divide(a, b); break;
    case REMAINDER: result = float_remainder(a, b); break;
    case FMOD: result = float_fmod(a, b); break;
    case MAXIMUM: result = float_max(a, b); break;
    case MINIMUM: result = float_min(a, b); break;
    case MEAN_OF_TWO: result = (a + b) * 0.5; break;
    case DIFFERENCE_SQUARE: result = (a - b) * (a - b); break;
    case COPYSIGN: result = float_copysign(a, b); break;
    case NEXTAFTER: result = COMMON == FLOAT16 ? half_nextafter(a, b) : float_nextafter(a, b); break;
    case NEGATIVE: result = uintBitsToFloat(floatBitsToUint(a) ^ FLOAT_SIGN); break;
    case ABS: result = uintBitsToFloat(float_magnitude(a)); break;
    case SIGN: result = float_sign(a); break;
    case SQUARE: result = a * a; break;
    case HEAVISIDE:
        result = float_less(a, 0.0) ? 0.0 : float_less(0.0, a) ? 1.0 : float_equal(a, 0.0) ? b : a;
        break;
    case FLOOR: result = float_floor(a); break;
    case CEIL: result = float_ceil(a); break;
    case TRUNC: result = float_trunc(a); break;
    case ROUND: result = BEFORE == AWAY ? float_round_away(a) : float_round(a); break;
    case SQRT: result = float_sqrt(a); break;
    case RSQRT: result = float_rsqrt(a); break;
    case RECIPROCAL: result = float_reciprocal(a); break;
    case HYPOT: result = float_hypot(a, b); break;
    case WHOLE_POWER: result = float_whole_power(a, b); break;
    case CLIP: result = float_min(float_max(a, scalar(0)), scalar(1)); break;
    case CLIP_GRAD: result = float_less(scalar(0), a) && float_less(a, scalar(1)) ? b : 0.0; break;
    case RELU_GRAD: result = float_less(0.0, a) ? b : 0.0; break;
    }
    return result;
}

void main() { run(); }
