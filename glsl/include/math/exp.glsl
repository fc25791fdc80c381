// Exponentials of float32, and functions based on them. Each splits off a power of two, so that a factor
// from sqrt(1/2) to sqrt(2) remains to be computed, and multiplies by it at the end.
#ifndef EXP_HEAD
#define EXP_HEAD
#include "math/divide.glsl"
#include "math/pair.glsl"

const float EXP_ROUNDER = 12582912.0;  // 1.5 * 2^23: adding and subtracting it rounds to an integer
const float LN2_HIGH = 0.693359375;    // 9 bits, so that its products with integer powers are exact
const float LN2_LOW = -0.00021219444;
const float LOG2_E = 1.44269504;

// A number below 2^8 in magnitude, as power * ln 2 + r + rest.
struct Reduced {
    float r, rest;
    int power;
};

// e^x = (1 + fraction + rest) * 2^power.
struct Exponential {
    float fraction, rest;
    int power;
};

float bounded(float x, float low, float high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

// A result, or NaN if the argument was NaN, given its bits without the sign.
float unless_nan(float result, uint magnitude) {
    uint bits = floatBitsToUint(result);
    return uintBitsToFloat(magnitude > FLOAT_INFINITY ? FLOAT_NAN : bits);
}

// The reduction of x + more, where |more| is at most a unit in the last place of x.
Reduced exp_reduced(float x, float more) {
    precise float shifted = x * LOG2_E + EXP_ROUNDER;
    precise float whole = shifted - EXP_ROUNDER;
    precise float near = x - whole * LN2_HIGH;
    precise float away = whole * LN2_LOW - more;
    precise float r = near - away;
    precise float rest = (near - r) - away;
    return Reduced(r, rest, int(floatBitsToUint(shifted) - floatBitsToUint(EXP_ROUNDER)));
}

Exponential exp_parts(float x, float more) {
    Reduced reduced = exp_reduced(x, more);
    float r = reduced.r;
    precise float p = ((0.00138367759 * r + 0.00836914126) * r + 0.0416681059) * r + 0.166665167;
    precise float second = (r * r) * (p * r + 0.49999994) + reduced.rest;
    vec2 fraction = pair_of(r, second);
    return Exponential(fraction.x, fraction.y, reduced.power);
}

float float_exp(float x) {
    Exponential parts = exp_parts(bounded(x, -104.0, 89.0), 0.0);
    precise float leading = 1.0 + parts.fraction;
    return unless_nan(scale_by(leading, parts.power), floatBitsToUint(x) & ~FLOAT_SIGN);
}

// The same bits as float_exp for x <= 0, in fewer steps; but anything for NaN.
float float_exp_below(float x) {
    float low = -104.0;
    x = x < low ? low : x;
    precise float shifted = x * LOG2_E + EXP_ROUNDER;
    precise float whole = shifted - EXP_ROUNDER;
    precise float near = x - whole * LN2_HIGH;
    precise float away = whole * LN2_LOW;
    precise float r = near - away;
    precise float rest = (near - r) - away;
    precise float p = ((0.00138367759 * r + 0.00836914126) * r + 0.0416681059) * r + 0.166665167;
    precise float second = (r * r) * (p * r + 0.49999994) + rest;
    precise float leading = 1.0 + (r + second);
    // The lower bits of the rounder are 0. Times 2^64, no result is subnormal, so that the last step rounds once.
    uint lifted = floatBitsToUint(leading) + (floatBitsToUint(shifted) << 23) + (64u << 23);
    precise float result = uintBitsToFloat(lifted) * 5.421010862427522e-20;
    return result;
}

// 2^(x + rest), for |x| up to 250.
float exp2_of_pair(float x, float rest) {
    precise float shifted = x + EXP_ROUNDER;
    precise float r = (x - (shifted - EXP_ROUNDER)) + rest;
    precise float p = (0.00015825055 * r + 0.00134177029) * r + 0.00961706508;
    precise float q = (p * r + 0.0555027276) * r + 0.240226552;
    precise float leading = 1.0 + r * (q * r + 0.693147242);
    return scale_by(leading, int(floatBitsToUint(shifted) - floatBitsToUint(EXP_ROUNDER)));
}

float float_exp2(float x) {
    float result = exp2_of_pair(bounded(x, -151.0, 129.0), 0.0);
    return unless_nan(result, floatBitsToUint(x) & ~FLOAT_SIGN);
}

// e^x - 1. For tiny arguments, -0 included, the result is the argument.
float float_expm1(float x) {
    uint magnitude = floatBitsToUint(x) & ~FLOAT_SIGN;
    Exponential parts = exp_parts(bounded(x, -18.0, 89.0), 0.0);
    float scale = power_of_two(parts.power - 1);  // halved, since 2^128 is too large
    precise float result = 2.0 * ((scale - 0.5) + scale * parts.fraction);
    result = magnitude < 0x33000000u ? x : result;
    return unless_nan(result, magnitude);
}

// e^a / 2 and e^-a / 2, for hyperbolic functions. They are halved once more, since e^a may overflow where
// its half does not.
struct Hyperbolic {
    float leading, grown, shrunk;  // e^a / 4 is leading + grown, e^-a / 4 is shrunk
};

Hyperbolic hyperbolic_parts(float magnitude) {
    Reduced reduced = exp_reduced(magnitude > 89.5 ? 89.5 : magnitude, 0.0);
    float r = reduced.r;
    precise float z = r * r;
    precise float odd = (0.000199740884 * z + 0.00833317544) * z + 0.166666672;
    precise float even = (0.00139354321 * z + 0.0416664593) * z + 0.5;
    precise float sinh_r = r + (odd * (z * r) + reduced.rest);
    precise float cosh_less_one = z * even;
    float up = power_of_two(reduced.power - 2);
    float down = power_of_two(-2 - min(reduced.power, 100));
    precise float grown = up * (sinh_r + cosh_less_one);
    precise float shrunk = down * (1.0 + (cosh_less_one - sinh_r));
    return Hyperbolic(up, grown, shrunk);
}

float float_sinh(float x) {
    uint bits = floatBitsToUint(x), magnitude = bits & ~FLOAT_SIGN;
    float a = uintBitsToFloat(magnitude);
    Hyperbolic parts = hyperbolic_parts(a);
    precise float large = 2.0 * (parts.leading + (parts.grown - parts.shrunk));
    precise float z = a * a;
    precise float p = (2.78221319e-06 * z + 0.000198428956) * z + 0.00833331048;
    precise float small = a + a * (z * (p * z + 0.166666672));
    uint result = floatBitsToUint(magnitude < FLOAT_ONE ? small : large);
    result = magnitude < 0x39000000u ? magnitude : result;
    result |= bits & FLOAT_SIGN;
    return uintBitsToFloat(magnitude > FLOAT_INFINITY ? FLOAT_NAN : result);
}

float float_cosh(float x) {
    uint magnitude = floatBitsToUint(x) & ~FLOAT_SIGN;
    Hyperbolic parts = hyperbolic_parts(uintBitsToFloat(magnitude));
    precise float result = 2.0 * (parts.leading + (parts.grown + parts.shrunk));
    return unless_nan(result, magnitude);
}

// With e = e^-2|x|, the result is 1 - 2e / (1 + e), or x + x^3 (...) where that would lose digits; both are
// computed as polynomials. The error of e hardly matters, since e is small.
float float_tanh(float x) {
    uint bits = floatBitsToUint(x), magnitude = bits & ~FLOAT_SIGN;
    float a = uintBitsToFloat(min(magnitude, 0x41200000u));  // 10, where the result is 1 already
    precise float exponent = a * -2.88539004;
    precise float shifted = exponent + EXP_ROUNDER;
    precise float r = exponent - (shifted - EXP_ROUNDER);
    precise float p = (0.00132658437 * r + 0.00966968667) * r + 0.0555069335;
    p = ((p * r + 0.240222827) * r + 0.693147063) * r + 1.0;
    float e = uintBitsToFloat(floatBitsToUint(p) + (floatBitsToUint(shifted) << 23));
    precise float q = (-1.32087529 * e + 1.89894545) * e - 1.99287057;
    precise float large = 1.0 + e * ((q * e + 1.9997772) * e - 1.99999774);
    precise float z = a * a;
    q = (0.00118144299 * z - 0.00657801935) * z + 0.0206644665;
    q = ((q * z - 0.0536298268) * z + 0.133288428) * z - 0.333331317;
    precise float small = a + a * (z * q);
    uint result = floatBitsToUint(magnitude < 0x3f733333u ? small : large);
    result = magnitude < 0x39000000u ? magnitude : result;
    result |= bits & FLOAT_SIGN;
    return uintBitsToFloat(magnitude > FLOAT_INFINITY ? FLOAT_NAN : result);
}

// A number times 2^power.
struct Lifted {
    float value;
    int power;
};

// 1 / (1 + e^-x), as e^x / (1 + e^x) for negative x. The power is 0 unless the result is tiny.
Lifted sigmoid_parts(float x) {
    uint bits = floatBitsToUint(x);
    bool negative = (bits & FLOAT_SIGN) != 0u;
    float a = uintBitsToFloat(bits & ~FLOAT_SIGN);
    Exponential parts = exp_parts(-(a > 200.0 ? 200.0 : a), 0.0);
    precise vec2 leading = pair_of(1.0, parts.fraction);
    leading.y += parts.rest;
    // Low parts below 2^-126, which are lost, do not matter beside 1.
    int kept = max(parts.power, -60);
    float scale = power_of_two(kept);
    precise float small = leading.x * scale, rest = leading.y * scale;
    precise vec2 divisor = pair_of(1.0, small);
    divisor.y += rest;
    vec2 dividend = vec2(negative ? small : 1.0, negative ? rest : 0.0);
    return Lifted(pair_quotient(dividend, divisor).x, negative ? parts.power - kept : 0);
}

float float_sigmoid(float x) {
    Lifted parts = sigmoid_parts(x);
    return unless_nan(scale_by(parts.value, parts.power), floatBitsToUint(x) & ~FLOAT_SIGN);
}

// x / (1 + e^-y), also if a large x makes up for a tiny sigmoid; the sigmoid of -infinity is 0.
float float_swish(float x, float y) {
    uint magnitude = floatBitsToUint(x) & ~FLOAT_SIGN, other = floatBitsToUint(y) & ~FLOAT_SIGN;
    Lifted parts = sigmoid_parts(y);
    float factor = magnitude == FLOAT_INFINITY && y < 0.0 ? 0.0 : parts.value;
    precise float product = x * factor;
    return unless_nan(scale_by(product, parts.power), max(magnitude, other));
}
#endif
