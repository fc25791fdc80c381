// erf and gelu of float32.
#ifndef ERF_HEAD
#define ERF_HEAD
#include "math/exp.glsl"

// x P(x^2) below 1, and 1 - Q(x - 5/2) from there on. Tiny arguments are scaled by 2^64, since a term could
// be flushed where the sum is not.
float float_erf(float x) {
    uint bits = floatBitsToUint(x), size = bits & ~FLOAT_SIGN;
    bool tiny = size - 1u < 0x20000000u;
    float a = uintBitsToFloat(size);
    precise float z = a * a;
    z = tiny ? 0.0 : z;
    precise float p = z * 7.806903e-05 - 0.0007997853;
    p = z * p + 0.005187162;
    p = z * p - 0.026853347;
    p = z * p + 0.11283579;
    p = z * p - 0.37612626;
    p = z * p + 0.12837917;
    uint grown = float_normalised(size) + (64u << 23);
    float scaled = uintBitsToFloat(tiny ? grown : size);
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
    return unless_nan(uintBitsToFloat(result), size);
}

// x times the normal distribution function: 0.5 * x * (1 + erf(x / sqrt(2))), and its limit -0 at -inf.
// With a = |x|, a times the tail above a is e^(-a^2 / 2) G(v) a / (a + 0.8), where G varies little and
// v = 51/128 - a / (a + 4). For tiny x the result is x / 2.
float float_gelu(float x) {
    uint bits = floatBitsToUint(x), size = bits & ~FLOAT_SIGN;
    float a = uintBitsToFloat(min(size, 0x41700000u));  // 15
    precise float divisor = a + 4.0, rough = rough_reciprocal(divisor);
    precise float v = 0.3984375 - a * (rough * (2.0 - divisor * rough));
    precise float g = v * -0.0749943 - 0.050786432;
    g = v * g + 0.17474602;
    g = v * g + 0.2068482;
    g = v * g - 0.23295993;
    g = v * g - 0.80448323;
    g = v * g - 0.9801749;
    g = v * g - 0.6642877;
    g = v * g - 0.19325715;
    g = v * g + 0.102852836;
    g = v * g + 0.46501046;
    vec2 ratio = pair_quotient(vec2(a, 0.0), pair_sum(a, 0.8));
    vec2 square = pair_product(a, a), leading = pair_product(ratio.x, g);
    Exponential power = exp_parts(-0.5 * square.x, -0.5 * square.y);
    precise float rest = leading.x * power.rest + (leading.y + ratio.y * g);
    precise float product = leading.x + (leading.x * power.fraction + rest);
    float beyond = scale_by(product, power.power);
    precise float below = -beyond, above = x - beyond, middle = 0.5 * x;
    float result = bits != size ? below : above;
    return unless_nan(size < 0x30000000u ? middle : result, size);
}
#endif
