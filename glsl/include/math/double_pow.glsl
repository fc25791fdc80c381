// x^y of float64 by integers: 2^(y log2 x), where the logarithm has 96 bits and more.
#ifndef DOUBLE_POW_HEAD
#define DOUBLE_POW_HEAD
#include "math/double_log.glsl"

const Wide WIDE_TWICE_LOG2_E = Wide(uvec4(0x691d3e89u, 0xbe87fed0u, 0x5c17f0bbu, 0xb8aa3b29u), 1);

// The magnitude of log2 x for a positive x, with its sign.
Wide log2_wide(Extended x, out uint sign) {
  Ratio ratio = log_ratio(x);
  uvec2 rest = long_right(ratio.num.bits, 1u), divisor = ratio.den.bits;
  uint reciprocal = long_reciprocal(divisor);
  uvec4 quotient = uvec4(0u);
  quotient.w = long_digit(rest, divisor, reciprocal, 0u);
  quotient.z = long_digit(rest, divisor, reciprocal, 0u);
  quotient.y = long_digit(rest, divisor, reciprocal, 0u);
  Wide s = Wide(quotient, ratio.num.exponent - ratio.den.exponent);
  Wide first = wide_multiply(s, WIDE_TWICE_LOG2_E);
  // artanh(s) - s is less than 1 % of s, so that fewer digits do.
  Extended near = extended_normal(s.bits.zw, s.exponent, 0u), z = extended_multiply(near, near);
  Extended series = extended_normal(tangent_series(false, fixed_of(z)), -1, 0u);
  Extended tail = extended_multiply(extended_multiply(near, z), series);
  tail = extended_scale(extended_multiply(tail, EXTENDED_LOG2_E), 1);
  uint by = uint(clamp(first.exponent - tail.exponent, 0, 126));
  uvec4 sum = wide_add(wide_right(first.bits, 1u), wide_right(uvec4(0u, 0u, tail.bits), by + 1u));
  Wide part = Wide(sum, first.exponent + 1);
  // With the power of two: 15 bits before the point.
  uvec4 bits = wide_right(part.bits, uint(clamp(15 - part.exponent, 0, 127)));
  bool opposite = ratio.times < 0 != (ratio.num.sign != 0u);
  uvec4 whole = uvec4(0u, 0u, 0u, uint(abs(ratio.times)) << 16u);
  whole = wide_add(whole, select(opposite, wide_negate(bits), bits));
  bool alone = ratio.times == 0;
  uint other = ratio.times < 0 ? DOUBLE_SIGN : 0u;
  sign = select(alone, ratio.num.sign, other);
  bits = select(alone, part.bits, whole);
  int exponent = select(alone, part.exponent, 15);
  int top = select(long_is_zero(bits.zw), long_top(bits.xy), 64 + long_top(bits.zw));
  uint zeros = uint(127 - max(top, 0));
  return Wide(wide_left(bits, zeros), select(top < 0, EXTENDED_LEAST, exponent - int(zeros)));
}

bool double_is_whole(uvec2 a) { return long_equal(double_trunc(a), a); }

// As in C99: 1^y and x^0 are 1 even for NaN.
uvec2 double_pow(uvec2 x, uvec2 y) {
  if (double_is_zero(y) || long_equal(x, DOUBLE_ONE)) return DOUBLE_ONE;
  if (double_is_nan(x) || double_is_nan(y)) return DOUBLE_NAN;
  Extended a = extended_abs(extended_of(x)), b = extended_of(y);
  bool whole = double_is_whole(y);
  bool odd = whole && b.exponent < 53 && (long_right(b.bits, uint(clamp(63 - b.exponent, 0, 63))).x & 1u) != 0u;
  uint sign = odd ? x.y & DOUBLE_SIGN : 0u;
  uint log_sign;
  Wide power = log2_wide(a, log_sign);
  bool one = long_is_zero(power.bits.zw);
  bool grows = (log_sign ^ b.sign) == 0u;
  Extended result = exp_whole(exp2_parts(wide_product(b, power), grows ? 0u : DOUBLE_SIGN));
  result.sign = sign;
  bool far = double_is_zero(x) || double_is_infinite(x) || double_is_infinite(y);
  bool large = double_is_zero(x) ? b.sign != 0u : grows;
  uvec2 limit = one ? DOUBLE_ONE : uvec2(0u, large ? DOUBLE_EXPONENT | sign : sign);
  if (far) return double_is_zero(x) ? uvec2(0u, large ? DOUBLE_EXPONENT | sign : sign) : limit;
  return double_is_negative(x) && !whole ? DOUBLE_NAN : double_of(result);
}

#endif
