// Powers of float32, by a logarithm of 46 bits, since its error grows by up to 2^7.
#ifndef POWER_HEAD
#define POWER_HEAD
#include "math/log.glsl"

// log2 of a positive finite number, given its bits, with a relative error of about 2^-31. With
// s = f / (2 + f), log(1 + f) is 2 atanh s, which is 2 s (1 + s^2 / 3 + ...).
vec2 log2_pair(uint bits) {
    Scaled scaled = log_scaled(float_normalised(bits));
    vec2 s = pair_quotient(vec2(scaled.f, 0.0), pair_of(2.0, scaled.f));
    vec2 square = pair_times(s, s);
    float z = square.x;
    precise float tail = z * ((0.11790368 * z + 0.142686889) * z + 0.200001672) - 1.5041822e-08;
    vec2 more = pair_times(square, pair_of(0.333333343, tail));
    vec2 twice = pair_times(s, vec2(2.88539004, 3.85192598e-08));  // 2 / ln 2
    precise float rest = twice.x * more.x + (twice.x * more.y + twice.y);
    vec2 near = pair_of(twice.x, rest);
    vec2 sum = pair_of(float(scaled.power), near.x);
    precise float low = sum.y + near.y;
    return pair_of(sum.x, low);
}

// x^y as in C: 1^y and x^0 are 1 even if the other operand is NaN; for negative x, y must be an integer.
float float_pow(float x, float y) {
    uint bits = floatBitsToUint(x), exponent = floatBitsToUint(y);
    uint base = bits & ~FLOAT_SIGN, size = exponent & ~FLOAT_SIGN;
    // A larger exponent would not change the result, unless the base is 1.
    float limited = uintBitsToFloat(min(size, 0x50000000u) | (exponent & FLOAT_SIGN));
    vec2 logarithm = log2_pair(base);
    precise vec2 product = pair_product(limited, logarithm.x);
    product.y += limited * logarithm.y;
    float most = bounded(product.x, -200.0, 200.0);
    float rest = most == product.x ? product.y : 0.0;
    uint result = floatBitsToUint(exp2_of_pair(most, rest));
    bool endless = base == 0u || base == FLOAT_INFINITY;
    bool large = (base == 0u) == (exponent != size);
    result = endless ? large ? FLOAT_INFINITY : 0u : result;
    // Whether y is an integer, and odd: by its bits after the binary point.
    uint digits = (size & FLOAT_FRACTION) | FLOAT_LEADING;
    int places = 150 - int(size >> 23);
    uint behind = uint(clamp(places, 0, 31));
    bool whole = (digits >> behind) << behind == digits;
    bool odd = whole && places >= 0 && (digits >> behind & 1u) != 0u;
    bool negative = bits != base;
    result |= negative && odd ? FLOAT_SIGN : 0u;
    bool nan = max(base, size) > FLOAT_INFINITY || negative && !whole && !endless;
    result = nan ? FLOAT_NAN : result;
    return uintBitsToFloat(size == 0u || bits == FLOAT_ONE ? FLOAT_ONE : result);
}
#endif
