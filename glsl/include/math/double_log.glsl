// Logarithms of float64, and functions based on them: log(1 + d) = 2 artanh(d / (2 + d)), by integers.
#ifndef DOUBLE_LOG_HEAD
#define DOUBLE_LOG_HEAD
#include "math/double_exp.glsl"

const Extended EXTENDED_LN2 = Extended(uvec2(0xd1cf79acu, 0xb17217f7u), -1, 0u);
const Extended EXTENDED_LOG2_E = Extended(uvec2(0x5c17f0bcu, 0xb8aa3b29u), 0, 0u);
const Extended EXTENDED_LOG10_E = Extended(uvec2(0x37287195u, 0xde5bd8a9u), -2, 0u);
const uvec2 LOG_ROOT = uvec2(0xf9de6484u, 0xb504f333u);  // sqrt(2) * 2^63

// A number near 1 times 2^power; its logarithm is 2 artanh(num / den).
struct Ratio {
  Extended num, den;
  int power;
};

// (artanh(s) / s - 1) / s^2 for z = s^2 up to 0.0295.
uvec2 log_series(uvec2 z) {
  uvec2 h = uvec2(0x317dd5fau, 0x0f35a4c4u);
  h = fixed_up(z, h, uvec2(0x876ee614u, 0x0ef5f29du));
  h = fixed_up(z, h, uvec2(0x7572928cu, 0x1111d2a4u));
  h = fixed_up(z, h, uvec2(0x27e9efe4u, 0x13b137b2u));
  h = fixed_up(z, h, uvec2(0x38dd4268u, 0x1745d17du));
  h = fixed_up(z, h, uvec2(0x64c25af7u, 0x1c71c71cu));
  h = fixed_up(z, h, uvec2(0x9252b79au, 0x24924924u));
  h = fixed_up(z, h, uvec2(0x3333307eu, 0x33333333u));
  return fixed_up(z, h, uvec2(0x55555555u, 0x55555555u));
}

// artanh(s) for |s| up to 0.1716.
Extended log_artanh(Extended s) {
  uvec2 small = fixed_of(s), z = fixed_product(small, small);
  uvec2 tail = long_right(fixed_product(z, log_series(z)), 1u);
  return extended_multiply(s, Extended(uvec2(tail.x, tail.y | DOUBLE_SIGN), 0, 0u));
}

// Of a positive number.
Ratio log_ratio(Extended u) {
  bool above = long_less(LOG_ROOT, u.bits, false);
  uvec2 away = uvec2(u.bits.x, u.bits.y ^ DOUBLE_SIGN);
  uvec2 sum = long_right(u.bits, 1u);
  Extended num = extended_normal(above ? long_negate(u.bits) : away, above ? -1 : 0,
                                 above ? DOUBLE_SIGN : 0u);
  sum = above ? uvec2(sum.x, sum.y | DOUBLE_SIGN) : uvec2(sum.x, sum.y + 0x40000000u);
  return Ratio(num, Extended(sum, above ? 0 : 1, 0u), u.exponent + (above ? 1 : 0));
}

// Of 1 + x for x > -1, with all digits where x is small.
Ratio log1p_ratio(Extended x) {
  Ratio ratio = log_ratio(extended_add(EXTENDED_ONE, x));
  bool near = ratio.power == 0;
  Extended sum = extended_add(x, EXTENDED_TWO);
  return Ratio(extended_select(near, x, ratio.num), extended_select(near, sum, ratio.den), ratio.power);
}

Extended extended_whole(int a) {
  uint sign = a < 0 ? DOUBLE_SIGN : 0u;
  return extended_normal(uvec2(uint(abs(a)), 0u), 63, sign);
}

Extended log_of(Ratio ratio) {
  Extended rest = extended_scale(log_artanh(extended_divide(ratio.num, ratio.den)), 1);
  return extended_add(extended_multiply(extended_whole(ratio.power), EXTENDED_LN2), rest);
}

// Of a positive number.
Extended extended_log(Extended x) { return log_of(log_ratio(x)); }

// log(1 + x) for x > -1.
Extended extended_log1p(Extended x) { return log_of(log1p_ratio(x)); }

// The logarithm of x, which is NaN below 0 and has a pole at 0.
uvec2 double_logarithm(Extended result, uvec2 x) {
  if (double_is_zero(x)) return DOUBLE_INFINITY | uvec2(0u, DOUBLE_SIGN);
  if (double_is_nan(x) || double_is_negative(x)) return DOUBLE_NAN;
  return double_is_infinite(x) ? x : double_of(result);
}

uvec2 double_log(uvec2 x) { return double_logarithm(extended_log(extended_of(x)), x); }

uvec2 double_log2(uvec2 x) {
  Ratio ratio = log_ratio(extended_of(x));
  Extended rest = extended_scale(log_artanh(extended_divide(ratio.num, ratio.den)), 1);
  rest = extended_multiply(rest, EXTENDED_LOG2_E);
  return double_logarithm(extended_add(extended_whole(ratio.power), rest), x);
}

uvec2 double_log10(uvec2 x) {
  Extended result = extended_multiply(extended_log(extended_of(x)), EXTENDED_LOG10_E);
  return double_logarithm(result, x);
}

uvec2 double_log1p(uvec2 x) {
  Extended a = extended_of(x), result = extended_log1p(a);
  bool below = double_is_negative(x) && a.exponent >= 0;
  if (below && long_equal(x, uvec2(0u, 0xBFF00000u))) return DOUBLE_INFINITY | uvec2(0u, DOUBLE_SIGN);
  if (below || double_is_nan(x)) return DOUBLE_NAN;
  if (double_is_infinite(x)) return x;
  return double_of(Extended(result.bits, result.exponent, a.sign));
}

// log(1 + w) for w = |x| + x^2 / (1 + sqrt(1 + x^2)).
Extended extended_asinh(Extended x) {
  Extended a = extended_abs(x), square = extended_multiply(a, a);
  Extended root = extended_sqrt(extended_add(EXTENDED_ONE, square));
  Extended more = extended_divide(square, extended_add(EXTENDED_ONE, root));
  Extended result = extended_log1p(extended_add(a, more));
  return Extended(result.bits, result.exponent, x.sign);
}

// log(1 + w) for w = d + sqrt(d (d + 2)) and d = x - 1.
Extended extended_acosh(Extended x) {
  Extended d = extended_subtract(x, EXTENDED_ONE);
  Extended square = extended_multiply(d, extended_add(d, EXTENDED_TWO));
  return extended_log1p(extended_add(d, extended_sqrt(extended_abs(square))));
}

// Half the logarithm of (1 + x) / (1 - x): the ratio of both for |x| from 1/8 on.
Extended extended_atanh(Extended x) {
  Extended a = extended_abs(x);
  Extended quotient = extended_divide(extended_add(EXTENDED_ONE, a), extended_subtract(EXTENDED_ONE, a));
  Ratio ratio = log_ratio(quotient);
  bool near = a.exponent < -3;
  ratio.num = extended_select(near, a, ratio.num);
  ratio.den = extended_select(near, EXTENDED_ONE, ratio.den);
  ratio.power = near ? 0 : ratio.power;
  Extended result = log_of(ratio);
  return Extended(result.bits, result.exponent - 1, x.sign);
}

uvec2 double_asinh(uvec2 x) {
  return double_is_infinite(x) ? x : double_unless_nan(extended_asinh(extended_of(x)), x);
}

uvec2 double_acosh(uvec2 x) {
  Extended a = extended_of(x);
  if (double_is_nan(x) || a.sign != 0u || a.exponent < 0) return DOUBLE_NAN;
  return double_is_infinite(x) ? x : double_of(extended_acosh(a));
}

uvec2 double_atanh(uvec2 x) {
  Extended a = extended_of(x);
  if (long_equal(double_abs(x), DOUBLE_ONE)) return double_copysign(DOUBLE_INFINITY, x);
  return double_is_nan(x) || a.exponent >= 0 ? DOUBLE_NAN : double_of(extended_atanh(a));
}

// The larger one, plus log(1 + e^-d) for their difference d.
uvec2 double_logaddexp(uvec2 a, uvec2 b) {
  if (double_is_nan(a) || double_is_nan(b)) return DOUBLE_NAN;
  uvec2 most = double_max(a, b);
  if (double_is_infinite(a) || double_is_infinite(b)) return most;
  Extended d = extended_abs(extended_subtract(extended_of(a), extended_of(b)));
  Extended more = extended_log1p(extended_exp(extended_negate(d)));
  return double_of(extended_add(extended_of(most), more));
}

#endif
