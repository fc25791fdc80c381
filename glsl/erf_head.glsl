// erf and gelu of float32.
#ifndef ERF_HEAD
#define ERF_HEAD
#include "exp_head.glsl"

// x P(x^2) below 1, and from there 1 - Q(x - 5/2). What is tiny is computed 2^64 times as large, since
// a part of the result could be flushed.
float float_erf(float x) {
    uint bits = floatBitsToUint(x), size = bits & ~FLOAT_SIGN;
    bool tiny = size < 0x20000000u;
    float a = uintBitsToFloat(size);
    precise float z = tiny ? 0.0 : a * a;
    precise float p = z * 7.806903e-05 - 0.0007997853;
    p = z * p + 0.005187162;
    p = z * p - 0.026853347;
    p = z * p + 0.11283579;
    p = z * p - 0.37612626;
    p = z * p + 0.12837917;
    float scaled = tiny ? uintBitsToFloat(float_normalised(size) + (64u << 23)) : a;
    precise float small = scaled + scaled * p;
    small = small * power_of_two(tiny ? -64 : 0);
    precise float t = (size < 0x407c0000u ? a : 3.9375) - 2.5;
    precise float q = t * -1.016005e-06 - 6.2552704e-07;
    q = t * q + 1.6604708e-05;
    q = t * q - 1.6925967e-05;
    q = t * q - 8.3533996e-05;
    q = t * q + 0.000268521;
    q = t * q - 0.00025543483;
    q = t * q - 0.0005578457;
    q = t * q + 0.0027952811;
    q = t * q - 0.006110564;
    q = t * q + 0.008623345;
    q = t * q - 0.008351413;
    q = t * q + 0.005445599;
    q = t * q - 0.0021782094;
    q = t * q + 0.00040695412;
    precise float large = 1.0 - q;
    uint result = floatBitsToUint(size < FLOAT_ONE ? small : large) | bits & FLOAT_SIGN;
    return uintBitsToFloat(size > FLOAT_INFINITY ? FLOAT_NAN : result);
}

// x times the normal distribution's share below x, that is 0.5 * x * (1 + erf(x / sqrt(2))); at -inf
// it is the limit, -0. The share beyond |x| is t G(t) e^(-x^2/2), where t = 4 / (4 + |x|).
float float_gelu(float x) {
    uint bits = floatBitsToUint(x), size = bits & ~FLOAT_SIGN;
    bool negative = bits != size;
    float a = size < 0x41700000u ? uintBitsToFloat(size) : 15.0;
    precise float t = pair_quotient(vec2(4.0, 0.0), pair_sum(4.0, a)).x;
    precise float g = t * 0.017176926 - 0.066117965;
    g = t * g + 0.05969051;
    g = t * g + 0.017387874;
    g = t * g + 0.022210687;
    g = t * g + 0.08136868;
    g = t * g + 0.07390229;
    g = t * g + 0.09508968;
    g = t * g + 0.099546336;
    g = t * g + 0.09974499;
    vec2 square = pair_product(a, a);
    Exponential power = exp_parts(-0.5 * square.x, -0.5 * square.y);
    precise float share = t * g * (negative ? -a : 1.0);
    share = share + share * power.fraction;
    float below = scale_by(share, power.power);
    precise float above = x * (1.0 - below);
    float result = negative ? below : above;
    return size > FLOAT_INFINITY ? uintBitsToFloat(FLOAT_NAN) : result;
}
#endif
