// float64 as pairs of words, the lower one first: IEEE 754 by 32-bit integer operations, rounded to
// nearest, ties to even. A NaN result is always the same NaN, except for negate, abs and copysign, which
// only change the sign.
#ifndef DOUBLE_HEAD
#define DOUBLE_HEAD
#include "math/long.glsl"

const uint DOUBLE_SIGN = 0x80000000u;  // in the upper word, as the next two
const uint DOUBLE_EXPONENT = 0x7FF00000u;
const uint DOUBLE_FRACTION = 0x000FFFFFu;
const uvec2 DOUBLE_INFINITY = uvec2(0u, 0x7FF00000u);
const uvec2 DOUBLE_NAN = uvec2(0u, 0x7FF80000u);
const uvec2 DOUBLE_HALF = uvec2(0u, 0x3FE00000u);
const uvec2 DOUBLE_ONE = uvec2(0u, 0x3FF00000u);

uvec2 double_abs(uvec2 a) { return uvec2(a.x, a.y & ~DOUBLE_SIGN); }

uvec2 double_negate(uvec2 a) { return uvec2(a.x, a.y ^ DOUBLE_SIGN); }

uvec2 double_copysign(uvec2 a, uvec2 b) {
  return uvec2(a.x, a.y & ~DOUBLE_SIGN | b.y & DOUBLE_SIGN);
}

bool double_is_negative(uvec2 a) { return a.y >> 31u != 0u; }

bool double_is_zero(uvec2 a) { return long_is_zero(double_abs(a)); }

bool double_is_nan(uvec2 a) { return long_less(DOUBLE_INFINITY, double_abs(a), false); }

bool double_is_infinite(uvec2 a) { return long_equal(double_abs(a), DOUBLE_INFINITY); }

bool double_is_finite(uvec2 a) { return (a.y & DOUBLE_EXPONENT) != DOUBLE_EXPONENT; }

// Signed integers in the order of the numbers; -0 comes before +0.
uvec2 double_rank(uvec2 a) {
  return double_is_negative(a) ? uvec2(~a.x, ~a.y ^ DOUBLE_SIGN) : a;
}

bool double_less(uvec2 a, uvec2 b) {
  return !double_is_nan(a) && !double_is_nan(b) && !(double_is_zero(a) && double_is_zero(b)) &&
         long_less(double_rank(a), double_rank(b), true);
}

bool double_equal(uvec2 a, uvec2 b) {
  return !double_is_nan(a) && (long_equal(a, b) || double_is_zero(a) && double_is_zero(b));
}

uvec2 double_min(uvec2 a, uvec2 b) {
  if (double_is_nan(a) || double_is_nan(b)) return DOUBLE_NAN;
  return long_less(double_rank(b), double_rank(a), true) ? b : a;
}

uvec2 double_max(uvec2 a, uvec2 b) {
  if (double_is_nan(a) || double_is_nan(b)) return DOUBLE_NAN;
  return long_less(double_rank(a), double_rank(b), true) ? b : a;
}

// Both zeros give +0.
uvec2 double_sign(uvec2 a) {
  if (double_is_nan(a)) return DOUBLE_NAN;
  return double_is_zero(a) ? uvec2(0u) : double_copysign(DOUBLE_ONE, a);
}

#include "math/native_double.glsl"

// The neighbour of a towards b, as in C99: b if they are equal.
uvec2 double_nextafter(uvec2 a, uvec2 b) {
  if (double_is_nan(a) || double_is_nan(b)) return DOUBLE_NAN;
  if (double_equal(a, b)) return b;
  if (double_is_zero(a)) return double_copysign(uvec2(1u, 0u), b);
  bool outwards = double_less(a, b) != double_is_negative(a);
  return outwards ? long_add(a, uvec2(1u, 0u)) : long_subtract(a, uvec2(1u, 0u));
}

const uint TO_ZERO = 0u, TO_FLOOR = 1u, TO_CEILING = 2u, TO_EVEN = 3u;

// One of the two integers around a. Between them floats are evenly spaced, except below 1.
uvec2 double_whole(uvec2 a, uint direction) {
  if (double_is_nan(a)) return DOUBLE_NAN;
  uvec2 magnitude = double_abs(a);
  int places = 1075 - int(magnitude.y >> 20u);  // bits after the binary point
  bool small = places > 52;
  uvec2 unit = long_left(uvec2(1u, 0u), uint(clamp(places, 0, 52)));
  uvec2 whole = small ? uvec2(0u) : magnitude & long_negate(unit);
  uvec2 half_way = small ? DOUBLE_HALF : long_add(whole, long_right(unit, 1u));
  uvec2 beyond = small ? DOUBLE_ONE : long_add(whole, unit);
  bool up = direction == (double_is_negative(a) ? TO_FLOOR : TO_CEILING);
  if (direction == TO_EVEN)
    up = long_less(half_way, magnitude, false) ||
         long_equal(half_way, magnitude) && !long_is_zero(whole & unit);
  return double_copysign(up && !long_equal(whole, magnitude) ? beyond : whole, a);
}

uvec2 double_trunc(uvec2 a) { return double_whole(a, TO_ZERO); }

uvec2 double_floor(uvec2 a) { return double_whole(a, TO_FLOOR); }

uvec2 double_ceil(uvec2 a) { return double_whole(a, TO_CEILING); }

uvec2 double_round(uvec2 a) { return double_whole(a, TO_EVEN); }

// Split a number into significand * 2^(exponent - 63), with the exponent biased: 1023 for 1. The top bit of
// the significand is set unless the number is 0; subnormals have exponents down to -51.
uvec2 double_significand(uvec2 a, out int exponent) {
  int biased = int(a.y >> 20u & 0x7FFu);
  uvec2 bits = uvec2(a.x, a.y & DOUBLE_FRACTION | (biased == 0 ? 0u : 0x00100000u));
  int by = 63 - long_top(bits);
  exponent = max(biased, 1) + 11 - by;
  return long_left(bits, uint(by) & 63u);
}

// Shift right; the last bit is sticky: it is also set if a bit was lost, so that rounding stays correct.
uvec2 double_right(uvec2 a, int by) {  // 0 <= by
  uvec2 moved = long_right(a, uint(min(by, 63)));
  bool lost = !long_equal(long_left(moved, uint(min(by, 63))), a);
  return uvec2(moved.x | (lost ? 1u : 0u), moved.y);
}

// The inverse of double_significand, rounded. The top bit may be anywhere; the last bit is sticky.
uvec2 double_pack(uint sign, int exponent, uvec2 significand) {
  int by = 63 - long_top(significand);
  significand = long_left(significand, uint(by) & 63u);
  exponent -= by;
  significand = double_right(significand, max(1 - exponent, 0));
  // The leading bit of a normal number is not stored: here it adds one to the exponent.
  uvec2 bits = long_right(significand, 11u);
  bits.y += uint(max(exponent, 1) - 1) << 20u;
  bool up = (significand.x & 0x7FFu) + (bits.x & 1u) > 0x400u;
  bits = long_add(bits, uvec2(up ? 1u : 0u, 0u));
  bits = select(by > 63, uvec2(0u), bits);
  bits = select(exponent > 2046, DOUBLE_INFINITY, bits);
  return uvec2(bits.x, bits.y | sign & DOUBLE_SIGN);
}

uvec2 double_add(uvec2 a, uvec2 b) {
  NATIVELY(NATIVE_ADD, NUMBER(a) + NUMBER(b))
  bool swap = long_less(double_abs(a), double_abs(b), false);
  uvec2 large = swap ? b : a, small = swap ? a : b;
  bool opposite = double_is_negative(a ^ b);
  if (!double_is_finite(large)) {
    bool nan = double_is_nan(large) || opposite && double_is_infinite(small);
    return nan ? DOUBLE_NAN : large;
  }
  int exponent, lower;
  uvec2 x = long_right(double_significand(large, exponent), 1u);  // room for a carry
  uvec2 y = long_right(double_significand(small, lower), 1u);
  y = double_right(y, exponent - lower);
  uvec2 sum = opposite ? long_subtract(x, y) : long_add(x, y);
  // A zero sum is negative only if both terms are.
  return double_pack(long_is_zero(sum) ? a.y & b.y : large.y, exponent + 1, sum);
}

uvec2 double_subtract(uvec2 a, uvec2 b) { return double_add(a, double_negate(b)); }

uvec2 double_multiply(uvec2 a, uvec2 b) {
  NATIVELY(NATIVE_MULTIPLY, NUMBER(a) * NUMBER(b))
  uint sign = (a.y ^ b.y) & DOUBLE_SIGN;
  if (!double_is_finite(a) || !double_is_finite(b)) {
    bool nan = double_is_nan(a) || double_is_nan(b) || double_is_zero(a) || double_is_zero(b);
    return nan ? DOUBLE_NAN : uvec2(0u, DOUBLE_EXPONENT | sign);
  }
  int exponent, other;
  uvec2 x = double_significand(a, exponent), y = double_significand(b, other);
  uvec4 product = long_whole_product(x, y);
  product.z |= long_is_zero(product.xy) ? 0u : 1u;
  return double_pack(sign, exponent + other - 1022, product.zw);
}

#endif
