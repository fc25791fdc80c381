// asin, acos, atan and atan2 of float32: a polynomial near zero, extended to all arguments by exact
// symmetries in pairs of floats, so that only the last sum is rounded.
#ifndef ARC_HEAD
#define ARC_HEAD
#include "math/divide.glsl"
#include "math/pair.glsl"

const uint ARC_TINY = 0x39000000u;  // 2^-13: below, asin x and atan x are x

// quarters * pi/2 + angle, or minus the angle; quarters is 0, 1 or 2.
float arc_from(float quarters, vec2 angle, bool minus) {
    precise vec2 start = quarters * vec2(1.57079637, -4.37113883e-08);
    angle = (minus ? -1.0 : 1.0) * angle;
    vec2 sum = pair_of(start.x, angle.x);
    precise float result = sum.x + (sum.y + (start.y + angle.y));
    return result;
}

// The result with the sign of x: x itself if it is tiny, NaN if its magnitude is above `last`.
float arc_result(float x, uint last, float result) {
    uint bits = floatBitsToUint(x), size = bits & ~FLOAT_SIGN;
    uint computed = floatBitsToUint(result) | bits & FLOAT_SIGN;
    bits = size < ARC_TINY ? bits : computed;
    return uintBitsToFloat(size > last ? FLOAT_NAN : bits);
}

// atan q for q from 0 to 1.
vec2 atan_pair(vec2 q) {
    precise float z = q.x * q.x;
    precise float p = z * 0.002919721 - 0.016364131;
    p = z * p + 0.043205857;
    p = z * p - 0.07551724;
    p = z * p + 0.106657855;
    p = z * p - 0.14211003;
    p = z * p + 0.19993767;
    p = z * p - 0.33333153;
    precise float rest = q.x * (z * p) + q.y;
    return pair_of(q.x, rest);
}

float float_atan(float x) {
    uint size = floatBitsToUint(x) & ~FLOAT_SIGN;
    bool large = size > FLOAT_ONE;
    float a = uintBitsToFloat(min(size, 0x5d000000u));  // 2^59: above, the result is the same
    vec2 direct = vec2(a, 0.0), inverse = pair_quotient(vec2(1.0, 0.0), direct);
    vec2 angle = atan_pair(large ? inverse : direct);
    return arc_result(x, FLOAT_INFINITY, arc_from(large ? 1.0 : 0.0, angle, large));
}

// The angle of the point (x, y). The quotient's exponent is raised to at least -60; where that matters,
// the result is the quotient, and the exponent is lowered again.
float float_atan2(float y, float x) {
    uint y_bits = floatBitsToUint(y), x_bits = floatBitsToUint(x);
    uint y_size = y_bits & ~FLOAT_SIGN, x_size = x_bits & ~FLOAT_SIGN;
    bool back = x_bits != x_size, steep = y_size > x_size;
    uint large = max(x_size, y_size), small = min(x_size, y_size);
    uint divisor = float_normalised(large), dividend = float_normalised(small);
    int exponent = float_exponent(dividend) - float_exponent(divisor), kept = max(exponent, -60);
    precise float a = uintBitsToFloat(dividend & FLOAT_FRACTION | FLOAT_ONE) * power_of_two(kept);
    a = small == 0u ? 0.0 : a;
    float beside_infinity = small == FLOAT_INFINITY ? a : 0.0;
    a = large == FLOAT_INFINITY ? beside_infinity : a;
    float b = uintBitsToFloat(divisor & FLOAT_FRACTION | FLOAT_ONE);
    vec2 angle = atan_pair(pair_quotient(vec2(a, 0.0), vec2(b, 0.0)));
    float quarters = back ? 2.0 : 0.0;
    quarters = steep ? 1.0 : quarters;
    int taken = max(exponent - kept, -200);
    taken = quarters == 0.0 ? taken : 0;
    float result = scale_by(arc_from(quarters, angle, steep != back), taken);
    uint bits = floatBitsToUint(result) | y_bits & FLOAT_SIGN;
    return uintBitsToFloat(large > FLOAT_INFINITY ? FLOAT_NAN : bits);
}

// The square root of z, which is 0 or from 2^-60 to 1.
vec2 root_pair(float z) {
    precise float r = uintBitsToFloat(0x5f375a86u - (floatBitsToUint(z) >> 1));
    r = r * (1.5 - 0.5 * z * r * r);
    r = r * (1.5 - 0.5 * z * r * r);
    precise float root = z * r;
    vec2 square = pair_product(root, root);
    precise float rest = ((z - square.x) - square.y) * (0.5 * r);
    return pair_of(root, rest);
}

// asin a up to 1/2; above, pi/2 - asin a, which is 2 asin(sqrt((1 - a) / 2)).
vec2 asin_pair(float a) {
    bool wide = a > 0.5;
    precise float half_rest = 0.5 - 0.5 * a, square = a * a;
    float z = wide ? half_rest : square;
    vec2 root = root_pair(half_rest), direct = vec2(a, 0.0);
    root = wide ? root : direct;
    precise float p = z * 0.0421584 + 0.024184741;
    p = z * p + 0.045469154;
    p = z * p + 0.074953094;
    p = z * p + 0.16666752;
    precise float rest = root.x * (z * p) + root.y;
    vec2 angle = pair_of(root.x, rest);
    return (wide ? 2.0 : 1.0) * angle;
}

float float_asin(float x) {
    float a = uintBitsToFloat(floatBitsToUint(x) & ~FLOAT_SIGN);
    bool wide = a > 0.5;
    return arc_result(x, FLOAT_ONE, arc_from(wide ? 1.0 : 0.0, asin_pair(a), wide));
}

float float_acos(float x) {
    uint bits = floatBitsToUint(x), size = bits & ~FLOAT_SIGN;
    float a = uintBitsToFloat(size);
    bool wide = a > 0.5, back = bits != size;
    float quarters = back ? 2.0 : 0.0;
    quarters = wide ? quarters : 1.0;
    uint result = floatBitsToUint(arc_from(quarters, asin_pair(a), wide == back));
    return uintBitsToFloat(size > FLOAT_ONE ? FLOAT_NAN : result);
}
#endif
