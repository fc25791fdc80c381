// Logarithms of float32, and functions based on them. log(2^k (1 + f)) = k log 2 + f + tail, with f from
// sqrt(1/2) - 1 to sqrt(2) - 1; for arguments near 1, k is 0 and f is exact.
#ifndef LOG_HEAD
#define LOG_HEAD
#include "math/exp.glsl"

const int SQRT_HALF = 0x3f3504f3;  // its bits

// (1 + f) * 2^power.
struct Scaled {
    float f;
    int power;
};

// From a positive number's bits, which may be a result of float_normalised.
Scaled log_scaled(uint bits) {
    int power = (int(bits) - SQRT_HALF) >> 23;
    precise float f = uintBitsToFloat(bits - (uint(power) << 23)) - 1.0;
    return Scaled(f, power);
}

// log(1 + f) - f.
float log_tail(float f) {
    precise float p = (0.0672989711 * f - 0.116551325) * f + 0.118853793;
    precise float q = ((p * f - 0.124094345) * f + 0.142204478) * f - 0.166677549;
    precise float third = ((q * f + 0.200020626) * f - 0.250000149) * f + 0.333333135;
    precise float tail = (f * f) * (f * third - 0.5);
    return tail;
}

// A logarithm of x to any base: `result` if x is positive and finite, otherwise its special value.
float log_checked(float x, float result) {
    uint bits = floatBitsToUint(x);
    uint other = (bits << 1) == 0u ? FLOAT_SIGN | FLOAT_INFINITY
        : bits == FLOAT_INFINITY ? FLOAT_INFINITY : FLOAT_NAN;
    return bits - 1u < FLOAT_INFINITY - 1u ? result : uintBitsToFloat(other);
}

float float_log(float x) {
    Scaled scaled = log_scaled(float_normalised(floatBitsToUint(x) & ~FLOAT_SIGN));
    precise float k = float(scaled.power);
    precise float result = k * LN2_HIGH + (scaled.f + (log_tail(scaled.f) + k * LN2_LOW));
    return log_checked(x, result);
}

float float_log2(float x) {
    Scaled scaled = log_scaled(float_normalised(floatBitsToUint(x) & ~FLOAT_SIGN));
    precise float f = scaled.f, tail = log_tail(f);
    // log2(e) = 1 + 0.44..., and the product with 1 is exact.
    precise float most = f + (f * 0.442695051 + (tail * LOG2_E - f * 1.05426925e-08));
    precise float result = float(scaled.power) + most;
    return log_checked(x, result);
}

float float_log10(float x) {
    Scaled scaled = log_scaled(float_normalised(floatBitsToUint(x) & ~FLOAT_SIGN));
    precise float f = scaled.f, k = float(scaled.power), tail = log_tail(f);
    // log10(e) = 0.5 - 0.06..., and the product with 0.5 is exact; log10(2) is in two parts.
    precise float most = 0.5 * f + ((tail * 0.434294492 - f * 2.65246946e-09) - f * 0.0657055154);
    precise float result = k * 0.301025391 + (most + k * 4.60503907e-06);
    return log_checked(x, result);
}

// log(1 + x + rest), for x above -1 and |rest| at most a unit in the last place of x.
float log1p_pair(float x, float rest) {
    vec2 sum = pair_sum(1.0, x);
    Scaled scaled = log_scaled(floatBitsToUint(sum.x));
    bool near = scaled.power == 0;
    float f = near ? x : scaled.f, k = float(scaled.power);
    precise float left = (sum.y + rest) * power_of_two(max(-scaled.power, -126));
    left = near ? rest : left;
    precise float low = left * ((f - 1.0) * f + 1.0);  // left / (1 + f), to two digits, which suffice
    precise float result = k * LN2_HIGH + (f + (log_tail(f) + (low + k * LN2_LOW)));
    return result;
}

// For tiny arguments, -0 included, the result is the argument.
float float_log1p(float x) {
    uint bits = floatBitsToUint(x), magnitude = bits & ~FLOAT_SIGN;
    float result = log1p_pair(x, 0.0);
    result = magnitude < 0x33000000u ? x : result;
    uint other = bits == FLOAT_INFINITY ? FLOAT_INFINITY
        : bits == (FLOAT_ONE | FLOAT_SIGN) ? FLOAT_SIGN | FLOAT_INFINITY : FLOAT_NAN;
    bool plain = bits < FLOAT_INFINITY || magnitude < FLOAT_ONE;
    return plain ? result : uintBitsToFloat(other);
}

// log(1 + e^(x + rest)) times 2^lift, for x at most 0.
float softplus_below(float x, float rest, int lift) {
    bool far = x < -160.0;
    Exponential parts = exp_parts(far ? -160.0 : x, far ? 0.0 : rest);
    precise vec2 leading = pair_of(1.0, parts.fraction);
    float scale = power_of_two(max(parts.power, -60));
    precise float power = leading.x * scale, more = (leading.y + parts.rest) * scale;
    precise float lifted = log1p_pair(power, more) * power_of_two(lift);
    return parts.power < -30 ? scale_by(leading.x, parts.power + lift) : lifted;
}

// log(1 + e^x). A tiny result is scaled up, since the caller's factor may make it larger.
Lifted softplus_parts(float x) {
    uint bits = floatBitsToUint(x), magnitude = bits & ~FLOAT_SIGN;
    int lift = x < -60.0 ? 64 : 0;
    float below = softplus_below(uintBitsToFloat(magnitude | FLOAT_SIGN), 0.0, lift);
    precise float above = x + below;
    float result = bits == magnitude ? above : below;
    return Lifted(unless_nan(result, magnitude), -lift);
}

// log(e^a + e^b). Where a negative operand cancels with log(1 + ...), the error is relative to that
// operand.
float float_logaddexp(float a, float b) {
    uint x = floatBitsToUint(a), y = floatBitsToUint(b);
    float high = a < b ? b : a, low = a < b ? a : b;
    uint magnitude = floatBitsToUint(high) & ~FLOAT_SIGN;
    vec2 difference = pair_sum(low, -high);
    // Below that, the smaller operand does not matter; the low part may be NaN, as it is for infinities.
    bool far = !(difference.x > -160.0);
    // Beside such a small operand, even subnormal powers matter.
    int lift = magnitude < 0x22000000u ? 64 : 0;
    float below = softplus_below(far ? -160.0 : difference.x, far ? 0.0 : difference.y, lift);
    precise float result = (high * power_of_two(lift) + below) * power_of_two(-lift);
    result = magnitude == FLOAT_INFINITY ? high : result;
    return unless_nan(result, max(x & ~FLOAT_SIGN, y & ~FLOAT_SIGN));
}

// The square root of a positive number or 0.
vec2 pair_root(vec2 a) {
    float root = float_sqrt(a.x);
    vec2 square = pair_product(root, root);
    float rough = rough_reciprocal(root == 0.0 ? 1.0 : root);
    precise float reciprocal = rough * (2.0 - root * rough);
    precise float low = (0.5 * (((a.x - square.x) - square.y) + a.y)) * reciprocal;
    return vec2(root, low);
}

// log(1 + less_one + root), or log(2 a), which is the same for huge a.
float log_of_sum(float a, float less_one, vec2 root, bool huge) {
    vec2 sum = pair_sum(huge ? a : less_one, huge ? -1.0 : root.x);
    precise float rest = sum.y + root.y;
    float result = log1p_pair(sum.x, huge ? sum.y : rest);
    precise float doubled = result + 0.693147182;
    return huge ? doubled : result;
}

const float LOG_HUGE = 8192.0;  // from here on sqrt(x^2 +- 1) is x

// log(|x| + sqrt(x^2 + 1)) with the sign of x.
float float_asinh(float x) {
    uint bits = floatBitsToUint(x), magnitude = bits & ~FLOAT_SIGN;
    float a = uintBitsToFloat(magnitude);
    bool huge = a >= LOG_HUGE;
    float least = huge ? LOG_HUGE : a;
    vec2 square = pair_product(least, least);
    precise vec2 radicand = pair_sum(1.0, square.x);
    radicand.y += square.y;
    precise vec2 root = pair_root(radicand);
    root.x -= 1.0;
    uint result = floatBitsToUint(log_of_sum(a, least, root, huge));
    result = magnitude < 0x39000000u || magnitude == FLOAT_INFINITY ? magnitude : result;
    result |= bits & FLOAT_SIGN;
    return uintBitsToFloat(magnitude > FLOAT_INFINITY ? FLOAT_NAN : result);
}

// log(x + sqrt(x^2 - 1)).
float float_acosh(float x) {
    uint bits = floatBitsToUint(x);
    bool huge = x >= LOG_HUGE;
    float least = huge || bits - FLOAT_ONE >= FLOAT_INFINITY - FLOAT_ONE ? LOG_HUGE : x;
    precise float less = least - 1.0;
    vec2 more = pair_sum(least, 1.0);
    vec2 radicand = pair_times(vec2(less, 0.0), more);
    float result = log_of_sum(x, less, pair_root(radicand), huge);
    uint other = bits == FLOAT_INFINITY ? FLOAT_INFINITY : FLOAT_NAN;
    bool plain = bits - FLOAT_ONE < FLOAT_INFINITY - FLOAT_ONE;
    return plain ? result : uintBitsToFloat(other);
}

// log((1 + x) / (1 - x)) / 2.
float float_atanh(float x) {
    uint bits = floatBitsToUint(x), magnitude = bits & ~FLOAT_SIGN;
    float a = magnitude < FLOAT_ONE ? uintBitsToFloat(magnitude) : 0.0;
    precise float twice = a + a;
    vec2 quotient = pair_quotient(vec2(twice, 0.0), pair_sum(1.0, -a));
    precise float half_log = 0.5 * log1p_pair(quotient.x, quotient.y);
    uint result = magnitude < 0x39000000u ? magnitude : floatBitsToUint(half_log);
    result = magnitude < FLOAT_ONE ? result : FLOAT_INFINITY;
    result |= bits & FLOAT_SIGN;
    return uintBitsToFloat(magnitude > FLOAT_ONE ? FLOAT_NAN : result);
}
#endif
