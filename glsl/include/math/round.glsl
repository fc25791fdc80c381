// Rounding to integers, signs, order and neighbours of float32, on the bits, so that nothing is flushed.
#ifndef ROUND_HEAD
#define ROUND_HEAD
#include "math/divide.glsl"

uint float_magnitude(float x) { return floatBitsToUint(x) & ~FLOAT_SIGN; }

// A magnitude with a sign; every NaN becomes the quiet NaN.
float float_signed(uint magnitude, uint sign) {
    return uintBitsToFloat(magnitude > FLOAT_INFINITY ? FLOAT_NAN : magnitude | sign);
}

// The next integer towards 0, and the one away from 0 after it.
uint float_whole(uint magnitude, out uint beyond) {
    uint unit = 1u << uint(clamp(150 - int(magnitude >> 23), 0, 23));
    uint whole = magnitude < FLOAT_ONE ? 0u : magnitude & (0u - unit);
    beyond = magnitude < FLOAT_ONE ? FLOAT_ONE : whole + unit;
    return whole;
}

// Away from zero if the sign bit is `away`, otherwise towards zero; 1 is not a sign bit.
float float_directed(float x, uint away) {
    uint magnitude = float_magnitude(x), sign = floatBitsToUint(x) & FLOAT_SIGN, beyond;
    uint whole = float_whole(magnitude, beyond);
    return float_signed(sign == away && whole != magnitude ? beyond : whole, sign);
}

float float_floor(float x) { return float_directed(x, FLOAT_SIGN); }

float float_ceil(float x) { return float_directed(x, 0u); }

float float_trunc(float x) { return float_directed(x, 1u); }

// To nearest, ties to even, as the addition itself rounds: from 2^23 on, floats are integers.
float float_round(float x) {
    uint magnitude = float_magnitude(x), sign = floatBitsToUint(x) & FLOAT_SIGN;
    precise float sum = uintBitsToFloat(min(magnitude, 0x4b000000u)) + 8388608.0;
    precise float whole = sum - 8388608.0;
    return float_signed(magnitude < 0x4b000000u ? floatBitsToUint(whole) : magnitude, sign);
}

float float_sign(float x) {
    uint magnitude = float_magnitude(x), sign = floatBitsToUint(x) & FLOAT_SIGN;
    uint one = magnitude > FLOAT_INFINITY ? FLOAT_NAN : sign | FLOAT_ONE;
    return uintBitsToFloat(magnitude == 0u ? 0u : one);
}

float float_copysign(float x, float sign) {
    return uintBitsToFloat(float_magnitude(x) | floatBitsToUint(sign) & FLOAT_SIGN);
}

// A signed integer in the order of the floats except NaN; -0 comes just before +0.
int float_order(float x) {
    int bits = floatBitsToInt(x);
    return bits ^ int(uint(bits >> 31) >> 1);
}

bool float_either_nan(float a, float b) {
    return max(float_magnitude(a), float_magnitude(b)) > FLOAT_INFINITY;
}

// Comparison as in IEEE 754, even if the device flushes subnormals.
bool float_equal(float a, float b) {
    bool zeros = (float_magnitude(a) | float_magnitude(b)) == 0u;
    return !float_either_nan(a, b) && (zeros || floatBitsToUint(a) == floatBitsToUint(b));
}

bool float_less(float a, float b) {
    bool zeros = (float_magnitude(a) | float_magnitude(b)) == 0u;
    return !float_either_nan(a, b) && !zeros && float_order(a) < float_order(b);
}

float float_max(float a, float b) {
    uint bits = floatBitsToUint(float_order(a) < float_order(b) ? b : a);
    return uintBitsToFloat(float_either_nan(a, b) ? FLOAT_NAN : bits);
}

float float_min(float a, float b) {
    uint bits = floatBitsToUint(float_order(b) < float_order(a) ? b : a);
    return uintBitsToFloat(float_either_nan(a, b) ? FLOAT_NAN : bits);
}

// The neighbour of a towards b; b if they are equal, with b's sign if zero.
float float_nextafter(float a, float b) {
    uint from = floatBitsToUint(a), magnitude = float_magnitude(a), sign = from & FLOAT_SIGN;
    bool outwards = (float_order(a) < float_order(b)) == (sign == 0u);
    uint bits = outwards ? from + 1u : from - 1u;
    uint to = floatBitsToUint(b);
    bits = magnitude == 0u ? to & FLOAT_SIGN | 1u : bits;
    bits = from == to || (magnitude | float_magnitude(b)) == 0u ? to : bits;
    return uintBitsToFloat(float_either_nan(a, b) ? FLOAT_NAN : bits);
}
#endif
