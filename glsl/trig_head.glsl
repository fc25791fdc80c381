// sin, cos and tan of float32, for arguments of any size. They are computed from what the nearest
// multiple of pi/2 leaves of the argument, which is known to more than a float's digits even where
// it is tiny. NaN and infinities give NaN.
#ifndef TRIG_HEAD
#define TRIG_HEAD
#include "divide_head.glsl"
#include "pair_head.glsl"

const uint TRIG_HUGE = 0x45800000u;  // 4096
const uint TRIG_TINY = 0x39000000u;  // 2^-13: below, sin x and tan x are x
const float TRIG_ROUNDER = 12582912.0;  // 1.5 * 2^23: adding and subtracting it rounds

// An angle as so many quarters of a turn, modulo 4, and the rest.
struct Angle {
    vec2 rest;
    uint quarters;
};

// 32 bits of 2/pi, after 32 that are zero.
uint two_over_pi(uint word) {
    uint bits = word == 1u ? 0xa2f9836eu : 0u;
    bits = word == 2u ? 0x4e441529u : bits;
    bits = word == 3u ? 0xfc2757d1u : bits;
    bits = word == 4u ? 0xf534ddc0u : bits;
    bits = word == 5u ? 0xdb629599u : bits;
    bits = word == 6u ? 0x3c439041u : bits;
    return word == 7u ? 0xfe5163abu : bits;
}

uvec2 phase_signed(uvec2 phase, bool negative) {
    uvec2 negated = uvec2(0u - phase.x, ~phase.y + uint(phase.x == 0u));
    return negative ? negated : phase;
}

// Where a finite x of at least TRIG_HUGE stands in its turn, in 2^-64 of a turn, low word first.
// It is the 24 digits of x times those digits of 2/pi that give neither whole turns nor too little.
uvec2 turn_phase(uint bits) {
    uint digits = bits & FLOAT_FRACTION | FLOAT_LEADING;
    uint from = (bits >> 23u & 0xffu) - 120u, word = from >> 5u, by = from & 31u;
    uint at[4];
    for (uint k = 0u; k < 4u; k++) at[k] = two_over_pi(word + k);
    for (uint k = 0u; k < 3u; k++) at[k] = at[k] << by | at[k + 1u] >> 1u >> (31u - by);
    uint high, low, above, below, carry;
    umulExtended(digits, at[1], high, low);
    umulExtended(digits, at[2], above, below);
    low = uaddCarry(low, above, carry);
    high += digits * at[0] + carry;
    return phase_signed(uvec2(low, high), bits >> 31u != 0u);
}

// The angle of a phase taken as signed, at most an eighth of a turn either way.
vec2 phase_angle(uvec2 phase) {
    bool negative = phase.y >> 31u != 0u;
    phase = phase_signed(phase, negative);
    bool least = phase.y == 0u;
    uint high = least ? phase.x : phase.y, low = least ? 0u : phase.x;
    uint by = 31u - uint(findMSB(high | 1u)), up = by + (least ? 32u : 0u);
    high = high << by | low >> 1u >> (31u - by);
    low = low << by;
    // 2 pi is 3217 / 512 less some 2e-5. Products of 12 digits are exact.
    precise float first = float(int(high >> 20u << 12u)) * 6.283203125;
    precise float second = float(int(high >> 8u & 0xfffu)) * 6.283203125;
    precise float third = float(int(high >> 8u)) * -1.781782e-05;
    precise float fourth = float(int((high & 0xffu) << 16u | low >> 16u)) * 3.745081e-07;
    precise float rest = second + (third + fourth);
    vec2 sum = pair_of(first, rest);
    float scale = uintBitsToFloat(127u - 24u - up << 23u | (negative ? FLOAT_SIGN : 0u));
    precise vec2 angle = sum * scale;
    return angle;
}

// Angles from here on take integers to reduce, which is slow.
bool is_far_angle(float x) { return (floatBitsToUint(x) & ~FLOAT_SIGN) >= TRIG_HUGE; }

Angle far_angle(float x) {
    uvec2 phase = turn_phase(floatBitsToUint(x));
    phase.y += 0x20000000u;
    return Angle(phase_angle(uvec2(phase.x, (phase.y & 0x3fffffffu) - 0x20000000u)), phase.y >> 30u);
}

// The products with the first three parts of pi/2 are exact for sizes below TRIG_HUGE; so are the
// first two differences, and the third is where the result is small, and made good elsewhere.
Angle near_angle(float x) {
    precise float rounded = x * 0.63661975 + TRIG_ROUNDER;
    precise float n = rounded - TRIG_ROUNDER;
    precise float first = x - n * 1.57080078125;
    precise float second = first - n * -4.470348358154297e-06;
    precise float product = n * 1.5890691429376602e-08;
    precise float third = second - product;
    precise float lost = (second - third) - product;
    precise float rest = lost - n * 2.563344e-12;
    return Angle(pair_of(third, rest), floatBitsToUint(rounded));
}

// The sine of an angle of at most pi/4, or slightly more, and so many quarters of a turn: one
// polynomial with the coefficients of sin or cos.
float sin_of(float rest, uint quarters) {
    bool even = (quarters & 1u) != 0u;
    precise float square = rest * rest;
    precise float p = square * (even ? 2.4430668e-05 : 2.8326535e-06);
    p = square * (p + (even ? -0.0013887301 : -0.0001985307));
    p = square * (p + (even ? 0.041666646 : 0.008333379));
    p = square * (p + (even ? -0.5 : -0.16666667));
    precise float start = even ? 1.0 : rest;
    precise float sine = start + start * p;
    return uintBitsToFloat(floatBitsToUint(sine) ^ quarters << 30u & FLOAT_SIGN);
}

// The result for x, which is x itself where that is tiny, and NaN where it is not finite.
float trig_result(float x, uint tiny, float result) {
    uint bits = floatBitsToUint(x), size = bits & ~FLOAT_SIGN;
    uint computed = floatBitsToUint(result);
    bits = size < tiny ? bits : computed;
    return uintBitsToFloat(size < FLOAT_INFINITY ? bits : FLOAT_NAN);
}

float float_sin(float x, Angle angle) {
    return trig_result(x, TRIG_TINY, sin_of(angle.rest.x, angle.quarters));
}

float float_cos(float x, Angle angle) {
    return trig_result(x, 0u, sin_of(angle.rest.x, angle.quarters + 1u));
}

// With an odd number of quarters it is -1 / tan of the rest.
float float_tan(float x, Angle angle) {
    precise float r = angle.rest.x;
    precise float z = r * r;
    precise float p = z * 0.0043799737 + 8.449831e-05;
    p = z * p + 0.010837334;
    p = z * p + 0.02128286;
    p = z * p + 0.05405944;
    p = z * p + 0.13332672;
    p = z * p + 0.3333335;
    precise float more = angle.rest.y + r * (z * p);
    vec2 tangent = pair_of(r, more);
    float direct = tangent.x, inverse = pair_quotient(vec2(-1.0, 0.0), tangent).x;
    return trig_result(x, TRIG_TINY, (angle.quarters & 1u) != 0u ? inverse : direct);
}
#endif
