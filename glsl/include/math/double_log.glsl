// Logarithms of float64, and functions based on them: log(1 + d) = 2 artanh(d / (2 + d)), by integers.
#ifndef DOUBLE_LOG_HEAD
#define DOUBLE_LOG_HEAD
#include "math/double_exp.glsl"
#include "math/tangents.glsl"

const Extended EXTENDED_LOG2_E = Extended(uvec2(0x5c17f0bcu, 0xb8aa3b29u), 0, 0u);
const Extended EXTENDED_LOG10_E = Extended(uvec2(0x37287195u, 0xde5bd8a9u), -2, 0u);
const uvec2 LOG_ROOT = uvec2(0xf9de6484u, 0xb504f333u);  // sqrt(2) * 2^63

// Of a positive number.
Ratio log_ratio(Extended u) {
  bool above = long_less(LOG_ROOT, u.bits, false);
  uvec2 away = uvec2(u.bits.x, u.bits.y ^ DOUBLE_SIGN);
  uvec2 sum = long_right(u.bits, 1u);
  uvec2 bits = select(above, long_negate(u.bits), away);
  Extended num = extended_normal(bits, above ? -1 : 0, above ? DOUBLE_SIGN : 0u);
  sum.y += above ? DOUBLE_SIGN : 0x40000000u;
  return Ratio(num, Extended(sum, above ? 0 : 1, 0u), u.exponent + (above ? 1 : 0));
}

// Of 1 + x for x > -1, with all digits where x is small.
Ratio log1p_ratio(Extended x) {
  Ratio ratio = log_ratio(extended_add(EXTENDED_ONE, x));
  bool near = ratio.times == 0;
  Extended sum = extended_add(x, EXTENDED_TWO);
  return Ratio(extended_select(near, x, ratio.num), extended_select(near, sum, ratio.den), ratio.times);
}

Extended log_of(Ratio ratio) { return tangent_of(false, ratio); }

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
  Extended rest = extended_multiply(tangent_rest(false, ratio), EXTENDED_LOG2_E);
  return double_logarithm(extended_add(extended_whole(ratio.times), rest), x);
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
  ratio.times = select(near, 0, ratio.times);
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
