// Numbers with 64 significant bits and any exponent, by 32-bit integers: 11 bits more than float64 has, so
// that functions of several steps are in effect rounded once, when they become float64. No step depends on
// the device. Infinities are 2^1024; NaN is for the caller.
#ifndef EXTENDED_HEAD
#define EXTENDED_HEAD
#include "math/double.glsl"
#include "math/wide.glsl"

// bits * 2^(exponent - 63), negative if the top bit of `sign` is set. The top bit of bits is set except for 0.
struct Extended {
  uvec2 bits;
  int exponent;
  uint sign;
};

const int EXTENDED_LEAST = -(1 << 20);  // the exponent of 0
const Extended EXTENDED_ONE = Extended(uvec2(0u, DOUBLE_SIGN), 0, 0u);
const Extended EXTENDED_TWO = Extended(uvec2(0u, DOUBLE_SIGN), 1, 0u);

// Of bits whose top bit may be anywhere.
Extended extended_normal(uvec2 bits, int exponent, uint sign) {
  int by = 63 - long_top(bits);
  return Extended(long_left(bits, uint(by) & 63u), select(by > 63, EXTENDED_LEAST, exponent - by), sign);
}

// fraction * 2^-64.
Extended extended_fraction(uvec2 fraction) { return extended_normal(fraction, -1, 0u); }

Extended extended_of(uvec2 a) {
  int exponent;
  uvec2 bits = double_significand(a, exponent);
  exponent = select(long_is_zero(bits), EXTENDED_LEAST, exponent - 1023);
  return Extended(bits, exponent, a.y & DOUBLE_SIGN);
}

uvec2 double_of(Extended a) { return double_pack(a.sign, a.exponent + 1023, a.bits); }

Extended extended_abs(Extended a) { return Extended(a.bits, a.exponent, 0u); }

Extended extended_negate(Extended a) { return Extended(a.bits, a.exponent, a.sign ^ DOUBLE_SIGN); }

Extended extended_scale(Extended a, int power) {
  return Extended(a.bits, a.exponent + power, a.sign);
}

// Of magnitudes.
bool extended_less(Extended a, Extended b) {
  bool less = long_less(a.bits, b.bits, false);
  return either(a.exponent < b.exponent, both(a.exponent == b.exponent, less));
}

Extended extended_select(bool which, Extended yes, Extended no) {
  return Extended(select(which, yes.bits, no.bits), select(which, yes.exponent, no.exponent),
                  select(which, yes.sign, no.sign));
}

Extended extended_add(Extended a, Extended b) {
  bool swap = extended_less(a, b);
  Extended large = extended_select(swap, b, a), small = extended_select(swap, a, b);
  uvec2 term = long_right(small.bits, uint(min(large.exponent - small.exponent, 63)));
  bool opposite = (a.sign ^ b.sign) != 0u;
  uvec2 sum = long_add(large.bits, long_negate_if(opposite, term));
  bool carry = both(!opposite, long_less(sum, term, false));
  uvec2 halved = long_right(sum, 1u);
  sum = select(carry, uvec2(halved.x, halved.y | DOUBLE_SIGN), sum);
  return extended_normal(sum, large.exponent + (carry ? 1 : 0), large.sign);
}

Extended extended_subtract(Extended a, Extended b) { return extended_add(a, extended_negate(b)); }

Extended extended_multiply(Extended a, Extended b) {
  uvec4 product = long_whole_product(a.bits, b.bits);
  bool full = product.w >> 31u != 0u;
  uvec2 shifted = product.zw << 1u | product.yz >> 31u;
  bool zero = long_is_zero(product.zw);
  int exponent = a.exponent + b.exponent + (full ? 1 : 0);
  return Extended(select(full, product.zw, shifted), select(zero, EXTENDED_LEAST, exponent),
                  a.sign ^ b.sign);
}

// Of a number that is not 0; 0 / 0 is anything.
Extended extended_divide(Extended a, Extended b) {
  uvec2 divisor = uvec2(b.bits.x, b.bits.y | DOUBLE_SIGN), rest = long_right(a.bits, 1u), quotient;
  uint reciprocal = long_reciprocal(divisor);
  quotient.y = long_digit(rest, divisor, reciprocal, 0u);
  quotient.x = long_digit(rest, divisor, reciprocal, 0u);
  return extended_normal(quotient, a.exponent - b.exponent, a.sign ^ b.sign);
}

// Of a number that is not negative.
Extended extended_sqrt(Extended a) {
  // 32 bits one by one, and 32 more by division: what remains is 2 root x + x^2, for a small x.
  uvec2 square = long_right(a.bits, (a.exponent & 1) == 0 ? 1u : 0u);
  uint root = 0u;
  uvec2 rest = uvec2(0u);
  for (int bit = 0; bit < 32; ++bit) {
    rest = uvec2(rest.x << 2u | square.y >> 30u, rest.y << 2u | rest.x >> 30u);
    square = long_left(square, 2u);
    uvec2 trial = uvec2(root << 2u | 1u, root >> 30u);
    bool fits = !long_less(rest, trial, false);
    rest = select(fits, long_subtract(rest, trial), rest);
    root = root << 1u | (fits ? 1u : 0u);
  }
  uvec2 divisor = uvec2(0u, root | DOUBLE_SIGN);
  // rest <= 2 root: half of it is at most the divisor.
  uvec2 half_rest = uvec2(rest.x << 31u, rest.y << 31u | rest.x >> 1u);
  bool whole = half_rest.y >= root;
  uint more = long_digit(half_rest, divisor, long_reciprocal(divisor), 0u);
  uvec2 bits = uvec2(whole ? 0xFFFFFFFFu : more, root);
  return extended_normal(bits, a.exponent >> 1, 0u);
}

// a * b * 2^-64 of fractions, at most 3 units too small.
uvec2 fixed_product(uvec2 a, uvec2 b) {
  uvec2 sum = long_add(long_product(a.y, b.y), uvec2(long_product(a.x, b.y).y, 0u));
  return long_add(sum, uvec2(long_product(a.y, b.x).y, 0u));
}

// The same where b has no upper word.
uvec2 fixed_product(uvec2 a, uint b) { return uvec2(long_product(a.y, b).y, 0u); }

// A step of a polynomial of fractions, with terms of one sign and of alternating signs.
uvec2 fixed_up(uvec2 z, uvec2 h, uvec2 c) { return long_add(fixed_product(z, h), c); }

uvec2 fixed_up(uvec2 z, uint h, uvec2 c) { return long_add(fixed_product(z, h), c); }

uvec2 fixed_down(uvec2 z, uvec2 h, uvec2 c) { return long_subtract(c, fixed_product(z, h)); }

uvec2 fixed_down(uvec2 z, uint h, uvec2 c) { return long_subtract(c, fixed_product(z, h)); }

// A step of a polynomial of signed fractions, for the magnitude and the sign of t.
uvec2 fixed_signed(uvec2 t, bool negative, uvec2 h, uvec2 c) {
  bool below = long_is_negative(h, true);
  uvec2 product = fixed_product(t, long_negate_if(below, h));
  return long_add(c, long_negate_if(negative != below, product));
}

// bits * 2^-64 from a number below 1, or the largest fraction.
uvec2 fixed_of(Extended a) {
  uvec2 bits = long_right(a.bits, uint(clamp(-1 - a.exponent, 0, 63)));
  return select(a.exponent < 0, bits, uvec2(0xFFFFFFFFu));
}

// The magnitude of a * b, at most a unit of the last place too small.
Wide wide_product(Extended a, Wide b) {
  uvec4 low = long_whole_product(a.bits, b.bits.xy), high = long_whole_product(a.bits, b.bits.zw);
  return Wide(wide_add(high, uvec4(low.zw, 0u, 0u)), a.exponent + b.exponent + 1);
}

// Both of at least 0.
Wide wide_multiply(Wide a, Wide b) {
  Wide product = wide_product(Extended(a.bits.zw, a.exponent, 0u), b);
  uvec4 less = long_whole_product(a.bits.xy, b.bits.zw);
  return Wide(wide_add(product.bits, uvec4(less.zw, 0u, 0u)), product.exponent);
}

#endif
