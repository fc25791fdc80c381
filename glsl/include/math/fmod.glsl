// Remainders of float32, exact: C's fmod, and NumPy's remainder and floor_divide, bit for bit.
#ifndef FMOD_HEAD
#define FMOD_HEAD
#include "math/round.glsl"

// rest * 2^by modulo divisor, for rest below divisor, divisor from 2^23 to 2^24, and by up to 22. The
// estimated quotient is off by a few at most, so 32 bits hold the remainder.
int fmod_step(int rest, int divisor, float inverse, int by) {
    precise float estimate = float(rest) * inverse * uintBitsToFloat(uint(127 + by) << 23);
    rest = (rest << by) - int(estimate) * divisor;
    while (rest < 0) rest += divisor;
    while (rest >= divisor) rest -= divisor;
    return rest;
}

// The magnitude of significand * 2^(exponent - 150), if that is a float.
uint float_exact(int significand, int exponent) {
    uint bits = floatBitsToUint(float(significand));
    bool subnormal = int(bits >> 23) + exponent - 150 < 1;
    uint small = uint(significand) << uint(clamp(exponent - 1, 0, 31));
    small >>= uint(clamp(1 - exponent, 0, 31));
    bits += uint(exponent - 150) << 23;
    return significand == 0 ? 0u : subnormal ? small : bits;
}

float float_fmod(float a, float b) {
    uint x = float_magnitude(a), y = float_magnitude(b), result = x;
    for (bool some = x >= y && y != 0u && x < FLOAT_INFINITY; some; some = false) {
        uint u = float_normalised(x), v = float_normalised(y);
        int exponent = float_exponent(v), left = float_exponent(u) - exponent;
        int rest = int(u & FLOAT_FRACTION | FLOAT_LEADING);
        int divisor = int(v & FLOAT_FRACTION | FLOAT_LEADING);
        rest -= rest >= divisor ? divisor : 0;
        precise float inverse = 1.0 / float(divisor);
        for (; left > 0; left -= 22) rest = fmod_step(rest, divisor, inverse, min(left, 22));
        result = float_exact(rest, exponent);
    }
    bool nan = x >= FLOAT_INFINITY || y == 0u || y > FLOAT_INFINITY;
    return float_signed(nan ? FLOAT_NAN : result, floatBitsToUint(a) & FLOAT_SIGN);
}

// A sum without flushing of subnormals: small terms are scaled up, and the sum is scaled back.
float float_add_unflushed(float a, float b) {
    uint x = float_magnitude(a), y = float_magnitude(b);
    bool small = max(x, y) < 67u << 23;  // 2^-60
    uint up = x == 0u ? 0u : float_normalised(x) + (64u << 23);
    uint p = small ? up | floatBitsToUint(a) & FLOAT_SIGN : floatBitsToUint(a);
    up = y == 0u ? 0u : float_normalised(y) + (64u << 23);
    uint q = small ? up | floatBitsToUint(b) & FLOAT_SIGN : floatBitsToUint(b);
    precise float sum = uintBitsToFloat(p) + uintBitsToFloat(q);
    uint bits = floatBitsToUint(sum), magnitude = bits & ~FLOAT_SIGN;
    int significand = int(magnitude & FLOAT_FRACTION | FLOAT_LEADING);
    uint down = magnitude == 0u ? 0u : float_exact(significand, int(magnitude >> 23) - 64);
    return small ? uintBitsToFloat(down | bits & FLOAT_SIGN) : sum;
}

// The result has the sign of b, also if it is zero.
float float_remainder(float a, float b) {
    float rest = float_fmod(a, b);
    uint magnitude = float_magnitude(rest), sign = floatBitsToUint(b) & FLOAT_SIGN;
    bool same = (floatBitsToUint(rest) & FLOAT_SIGN) == sign;
    uint moved = floatBitsToUint(float_add_unflushed(rest, b));
    uint bits = same ? floatBitsToUint(rest) : moved;
    bits = magnitude == 0u ? sign : bits;
    return uintBitsToFloat(magnitude > FLOAT_INFINITY ? FLOAT_NAN : bits);
}

// As in NumPy: a minus the remainder is divided, and the quotient rounded to an integer. Division by 0 is
// that of float_divide.
float float_floor_divide(float a, float b) {
    float rest = float_fmod(a, b);
    uint x = floatBitsToUint(a), y = floatBitsToUint(b), r = floatBitsToUint(rest);
    bool by_zero = (y & ~FLOAT_SIGN) == 0u, exact = (r & ~FLOAT_SIGN) == 0u;
    bool down = !exact && ((r ^ y) & FLOAT_SIGN) != 0u;
    float whole = float_add_unflushed(a, uintBitsToFloat(r ^ FLOAT_SIGN));
    precise float quotient = float_divide(by_zero ? a : whole, b);
    precise float less = quotient - 1.0;
    precise float found = down && !by_zero ? less : quotient;
    precise float floored = float_floor(found), above = floored + 1.0;
    precise float part = found - floored;
    // From 2^23 on, all floats are integers or infinite.
    uint size = float_magnitude(found);
    bool up = size < 0x4b000000u && part > 0.5;
    uint bits = floatBitsToUint(up ? above : floored);
    bits = size == 0u ? (x ^ y) & FLOAT_SIGN : bits;
    bool nan = (r & ~FLOAT_SIGN) > FLOAT_INFINITY && !by_zero;
    return uintBitsToFloat(nan ? FLOAT_NAN : bits);
}
#endif
