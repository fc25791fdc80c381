// Division of float64 and functions based on it, by the rules of math/double.glsl.
#ifndef DOUBLE_DIVIDE_HEAD
#define DOUBLE_DIVIDE_HEAD
#include "math/double.glsl"

uvec2 double_divide(uvec2 a, uvec2 b) {
  NATIVELY(NATIVE_DIVIDE, NUMBER(a) / NUMBER(b))
  uint sign = (a.y ^ b.y) & DOUBLE_SIGN;
  bool infinite = double_is_infinite(a), over_zero = double_is_zero(b);
  if (double_is_nan(a) || double_is_nan(b) || infinite && double_is_infinite(b) ||
      over_zero && double_is_zero(a))
    return DOUBLE_NAN;
  if (infinite || over_zero) return uvec2(0u, DOUBLE_EXPONENT | sign);
  if (double_is_infinite(b)) return uvec2(0u, sign);
  int exponent, other;
  uvec2 rest = long_right(double_significand(a, exponent), 1u);  // less than the divisor
  uvec2 divisor = double_significand(b, other), quotient;
  uint reciprocal = long_reciprocal(divisor);
  quotient.y = long_digit(rest, divisor, reciprocal, 0u);
  quotient.x = long_digit(rest, divisor, reciprocal, 0u);
  quotient.x |= long_is_zero(rest) ? 0u : 1u;
  return double_pack(sign, exponent - other + 1023, quotient);
}

uvec2 double_sqrt(uvec2 a) {
  NATIVELY(NATIVE_SQRT, sqrt(NUMBER(a)))
  if (double_is_nan(a)) return DOUBLE_NAN;
  if (double_is_zero(a)) return a;
  if (double_is_negative(a)) return DOUBLE_NAN;
  if (double_is_infinite(a)) return a;
  int exponent;
  uvec2 square = double_significand(a, exponent);
  // Without an even power of two, it is an integer below 2^56: the 28 bits of its root are found one by
  // one, from the top.
  square = long_right(square, (exponent & 1) == 0 ? 0u : 1u);
  uint root = 0u, rest = 0u;
  for (int bit = 0; bit < 28; ++bit) {
    rest = rest << 2u | square.y >> 30u;
    square = long_left(square, 2u);
    uint trial = root << 2u | 1u;
    root <<= 1u;
    if (rest >= trial) {
      rest -= trial;
      root |= 1u;
    }
  }
  // (root + x)^2 = root^2 + rest gives 27 more bits, first without x^2.
  uvec2 divisor = uvec2(0u, root << 4u), left = long_left(uvec2(rest, 0u), 30u);
  uint more = long_digit(left, divisor, long_reciprocal(divisor), 0u);
  left = long_left(long_right(left, 35u), 27u);
  uvec2 term = long_product(more, more);
  bool over = long_less(left, term, false), exact = long_equal(left, term);
  uvec2 bits = long_left(uvec2(root, 0u), 27u);
  bits = long_add(bits, uvec2(more - (over ? 1u : 0u), 0u));
  bits = long_left(bits, 9u);
  bits.x |= exact ? 0u : 1u;
  return double_pack(0u, (exponent + 1023) >> 1, bits);
}

// The exact remainder of division towards zero; it has the dividend's sign.
uvec2 double_fmod(uvec2 a, uvec2 b) {
  if (!double_is_finite(a) || double_is_nan(b) || double_is_zero(b)) return DOUBLE_NAN;
  if (long_less(double_abs(a), double_abs(b), false)) return a;
  int exponent, lower;
  uvec2 rest = double_significand(a, exponent), divisor = double_significand(b, lower);
  uint reciprocal = long_reciprocal(divisor);
  if (!long_less(rest, divisor, false)) rest = long_subtract(rest, divisor);
  for (int left = exponent - lower; left > 0; left -= 32) {
    uint by = uint(min(left, 32));
    uint next = by < 32u ? rest.x << by : 0u;
    rest = long_right(rest, 32u - by);
    long_digit(rest, divisor, reciprocal, next);
  }
  return double_pack(a.y, lower, rest);
}

// The remainder of floor division, rounded; it has the divisor's sign.
uvec2 double_remainder(uvec2 a, uvec2 b) {
  uvec2 rest = double_fmod(a, b);
  if (double_is_nan(rest)) return DOUBLE_NAN;
  if (double_is_zero(rest)) return double_copysign(rest, b);
  return double_is_negative(rest ^ b) ? double_add(rest, b) : rest;
}

// By NumPy's steps, each rounded; a / b if b is zero.
uvec2 double_floor_divide(uvec2 a, uvec2 b) {
  if (double_is_zero(b)) return double_divide(a, b);
  uvec2 rest = double_fmod(a, b);
  uvec2 quotient = double_divide(double_subtract(a, rest), b);
  if (!double_is_zero(rest) && double_is_negative(rest ^ b))
    quotient = double_subtract(quotient, DOUBLE_ONE);
  if (double_is_zero(quotient)) return uvec2(0u, (a.y ^ b.y) & DOUBLE_SIGN);
  uvec2 whole = double_floor(quotient);
  // The quotient is an integer except for rounding, which may have made it too small.
  bool below = double_less(DOUBLE_HALF, double_subtract(quotient, whole));
  return below ? double_add(whole, DOUBLE_ONE) : whole;
}

#endif
