// A number as the sum of two floats, the second at most half a unit in the last place of the first: at least
// 46 bits, by + - * of floats only. Arguments must be far from overflow and underflow.
#ifndef PAIR_HEAD
#define PAIR_HEAD

// 2^n for n from -126 to 127.
float power_of_two(int n) { return uintBitsToFloat(uint(n + 127) << 23); }

// value * 2^n for n from -252 to 254. Only the second product can be subnormal, so it rounds once.
float scale_by(float value, int n) {
    int part = n >> 1;
    precise float scaled = (value * power_of_two(part)) * power_of_two(n - part);
    return scaled;
}

// The leading 12 of 24 bits. Products of two such parts are exact.
float leading_part(float a) { return uintBitsToFloat(floatBitsToUint(a) & 0xfffff000u); }

// a + b exactly, for |a| >= |b| or a = 0.
vec2 pair_of(float a, float b) {
    precise float sum = a + b;
    precise float rest = b - (sum - a);
    return vec2(sum, rest);
}

// a + b exactly.
vec2 pair_sum(float a, float b) {
    precise float sum = a + b;
    precise float second = sum - a;
    precise float rest = (a - (sum - second)) + (b - second);
    return vec2(sum, rest);
}

// a * b exactly.
vec2 pair_product(float a, float b) {
    float a_high = leading_part(a), b_high = leading_part(b);
    precise float a_low = a - a_high, b_low = b - b_high;
    precise float product = a * b;
    precise float rest = (a_high * b_high - product) + a_high * b_low;
    rest = (rest + a_low * b_high) + a_low * b_low;
    return vec2(product, rest);
}

// a * b, with a relative error of about 2^-44.
vec2 pair_times(vec2 a, vec2 b) {
    vec2 product = pair_product(a.x, b.x);
    precise float rest = product.y + (a.x * b.y + a.y * b.x);
    return pair_of(product.x, rest);
}

// 1 / b to 12 bits, for |b| from 2^-125 to 2^125: an estimate that negates the exponent, refined twice.
float rough_reciprocal(float b) {
    float guess = uintBitsToFloat(0x7ef311c7u - floatBitsToUint(b));
    precise float better = guess * (2.0 - b * guess);
    precise float good = better * (2.0 - b * better);
    return good;
}

// a / b, with a relative error of about 2^-33.
vec2 pair_quotient(vec2 a, vec2 b) {
    float guess = leading_part(uintBitsToFloat(floatBitsToUint(rough_reciprocal(b.x)) + 0x800u));
    float a_high = leading_part(a.x), b_high = leading_part(b.x);
    precise float a_low = a.x - a_high, b_low = b.x - b_high;
    precise float error = ((1.0 - b_high * guess) - b_low * guess) - b.y * guess;
    precise float more = guess * (error + error * error);
    precise float rest = a_low * guess + (a.x * more + a.y * guess);
    precise float high = a_high * guess;
    return pair_of(high, rest);
}
#endif
