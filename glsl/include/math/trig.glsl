// sin, cos and tan of float32, for arguments of any size: from the difference to the nearest multiple of
// pi/2, which has more than a float's precision even if it is tiny. NaN and infinities give NaN.
#ifndef TRIG_HEAD
#define TRIG_HEAD
#include "math/divide.glsl"
#include "math/pair.glsl"

const uint TRIG_HUGE = 0x45800000u;  // 4096
const uint TRIG_TINY = 0x39000000u;  // 2^-13: below, sin x and tan x are x
const float TRIG_ROUNDER = 12582912.0;  // 1.5 * 2^23: adding and subtracting it rounds

// An angle as a number of quarter turns, modulo 4, and the rest.
struct Angle {
    vec2 rest;
    uint quarters;
};

// One of five words.
uint word_of(uint word, uint a, uint b, uint c, uint d, uint e) {
    uint chosen = word > 0u ? b : a;
    chosen = word > 1u ? c : chosen;
    chosen = word > 2u ? d : chosen;
    return word > 3u ? e : chosen;
}

// The phase of a finite x of at least TRIG_HUGE, in units of 2^-64 turns, low word first: the 24 bits of x
// times those bits of 2/pi that give neither whole turns nor too little to matter.
uvec2 turn_phase(uint bits) {
    uint digits = bits & FLOAT_FRACTION | FLOAT_LEADING;
    uint from = (bits >> 23u & 0xffu) - 120u, word = from >> 5u, by = from & 31u;
    // 2/pi is 0.a2f9836e4e441529... in hexadecimal, here after a word of zeros.
    uint first = word_of(word, 0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u);
    uint second = word_of(word, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u);
    uint third = word_of(word, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u);
    uint fourth = word_of(word, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
    first = first << by | second >> 1u >> (31u - by);
    second = second << by | third >> 1u >> (31u - by);
    third = third << by | fourth >> 1u >> (31u - by);
    uint high, low, above, below, carry;
    umulExtended(digits, second, high, low);
    umulExtended(digits, third, above, below);
    low = uaddCarry(low, above, carry);
    high += digits * first + carry;
    uvec2 negated = uvec2(0u - low, ~high + uint(low == 0u));
    return bits >> 31u != 0u ? negated : uvec2(low, high);
}

// The angle of a phase, taken as signed: at most an eighth of a turn in magnitude.
vec2 phase_angle(uvec2 phase) {
    // Two parts of 24 bits and one of 16, whose sum a pair holds, in units of 2^-24 turns.
    float high = float(int(phase.y) >> 8);
    precise float middle = float(int((phase.y & 0xffu) << 16u | phase.x >> 16u)) * (1.0 / 16777216.0);
    precise float low = float(int(phase.x & 0xffffu)) * (1.0 / 1099511627776.0);
    vec2 sum = pair_of(high, middle);
    precise float rest = sum.y + low;
    // In radians.
    return pair_times(pair_of(sum.x, rest), vec2(3.7450704e-07, -1.0421607e-14));
}

// Reducing these takes integers, which is slow.
bool is_far_angle(float x) { return (floatBitsToUint(x) & ~FLOAT_SIGN) >= TRIG_HUGE; }

Angle far_angle(float x) {
    uvec2 phase = turn_phase(floatBitsToUint(x));
    phase.y += 0x20000000u;
    return Angle(phase_angle(uvec2(phase.x, (phase.y & 0x3fffffffu) - 0x20000000u)), phase.y >> 30u);
}

// The products with the first three parts of pi/2 are exact below TRIG_HUGE. So are the first two
// differences; the third one is if the result is small, and otherwise its error is added.
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

// The sine of an angle, at most about pi/4 in magnitude, plus some quarter turns: one polynomial with the
// coefficients of sin or cos.
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

// The result for x: x itself if it is tiny, NaN if it is not finite.
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

// For an odd number of quarters, -1 / tan of the rest.
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
