// Exact products of float64 and their sums, in 128 bits: sums of two products are rounded once, whatever
// their sizes, so that neither overflow, underflow nor cancellation loses anything before.
#ifndef EXACT_HEAD
#define EXACT_HEAD
#include "math/double.glsl"
#include "math/wide.glsl"

// bits * 2^(exponent - 127), lowest word first. The sign is a word's top bit.
struct Exact {
    uvec4 bits;
    int exponent;
    uint sign;
};

bool exact_is_zero(Exact a) { return (a.bits.x | a.bits.y | a.bits.z | a.bits.w) == 0u; }

// The last bit is sticky: it is also set if a bit was lost.
uvec4 exact_right(uvec4 a, uint by) {
    uint n = by & 31u, lost = 0u;
    lost = by > 127u ? a.x | a.y | a.z | a.w : lost;
    a = by > 127u ? uvec4(0u) : a;
    lost |= (by & 64u) != 0u ? a.x | a.y : 0u;
    a = (by & 64u) != 0u ? uvec4(a.zw, 0u, 0u) : a;
    lost |= (by & 32u) != 0u ? a.x : 0u;
    a = (by & 32u) != 0u ? uvec4(a.yzw, 0u) : a;
    lost |= a.x & (1u << n) - 1u;
    a = a >> n | uvec4(a.yzw, 0u) << 1u << 31u - n;
    a.x |= uint(lost != 0u);
    return a;
}

bool exact_less(uvec4 a, uvec4 b) {
    bool lower = long_less(a.xy, b.xy, false);
    return long_less(a.zw, b.zw, false) || long_equal(a.zw, b.zw) && lower;
}

// With the top bit set, unless it is 0.
Exact exact_normal(Exact a) {
    bool upper = (a.bits.z | a.bits.w) != 0u;
    int by = upper ? 63 - long_top(a.bits.zw) : 127 - long_top(a.bits.xy);
    return Exact(wide_left(a.bits, uint(by) & 127u), a.exponent - by, a.sign);
}

// Exactly a * b, for finite numbers: one of the two top bits is set, unless it is 0.
Exact exact_product(uvec2 a, uvec2 b) {
    int exponent, other;
    uvec2 x = double_significand(a, exponent), y = double_significand(b, other);
    uvec4 bits = long_whole_product(x, y);
    return Exact(bits, exponent + other - 2045, (a.y ^ b.y) & DOUBLE_SIGN);
}

// The sum of two products, normal. They have 106 bits, so that only what is far below the result can be
// lost, as a sticky bit.
Exact exact_sum(Exact a, Exact b) {
    bool none = exact_is_zero(a), no_other = exact_is_zero(b);
    bool swap = !no_other && (none || a.exponent < b.exponent);
    Exact large = Exact(swap ? b.bits : a.bits, swap ? b.exponent : a.exponent, swap ? b.sign : a.sign);
    Exact small = Exact(swap ? a.bits : b.bits, swap ? a.exponent : b.exponent, swap ? a.sign : b.sign);
    uint down = uint(min(large.exponent - small.exponent, 128) + 1);
    uvec4 x = large.bits >> 1u | uvec4(large.bits.yzw, 0u) << 31u;  // room for a carry
    uvec4 y = none || no_other ? uvec4(0u) : exact_right(small.bits, down);
    bool opposite = a.sign != b.sign, less = exact_less(x, y);
    uvec4 difference = wide_add(less ? y : x, wide_negate(less ? x : y));
    Exact sum = exact_normal(Exact(opposite ? difference : wide_add(x, y), large.exponent + 1, large.sign));
    if (opposite && less) sum.sign = small.sign;
    // As in IEEE 754: a zero sum is negative only if both terms are.
    if (exact_is_zero(sum)) sum.sign = a.sign & b.sign;
    return sum;
}

// The leading 64 bits; the last one is sticky.
uvec2 exact_leading(Exact a) { return uvec2(a.bits.z | uint((a.bits.x | a.bits.y) != 0u), a.bits.w); }

// The nearest float64 to a / b; b is not 0.
uvec2 exact_quotient(Exact a, Exact b) {
    uvec2 divisor = exact_leading(b), rest = long_right(exact_leading(a), 1u), quotient;
    uint reciprocal = long_reciprocal(divisor);
    quotient.y = long_digit(rest, divisor, reciprocal, 0u);
    quotient.x = long_digit(rest, divisor, reciprocal, 0u);
    quotient.x |= long_is_zero(rest) ? 0u : 1u;
    return double_pack(a.sign ^ b.sign, clamp(a.exponent - b.exponent, -8192, 8192) + 1023, quotient);
}
#endif
