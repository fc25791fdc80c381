// The logarithm of the gamma function and its derivative, by integers: in the middle as polynomials, from
// which recurrences lead up to 8, beyond as asymptotic series, and below 0 by reflection.
#ifndef DOUBLE_GAMMA_HEAD
#define DOUBLE_GAMMA_HEAD
#include "math/double_log.glsl"
#include "math/double_trig.glsl"

const Extended EXTENDED_PI = Extended(uvec2(0x2168c235u, 0xc90fdaa2u), 1, 0u);
const Extended EXTENDED_LOG_PI = Extended(uvec2(0x3d0de85eu, 0x92868247u), 0, 0u);
const Extended GAMMA_LIMIT = Extended(uvec2(0x4beb4a69u, 0xd67f1c86u), -2, 0u);  // (log(2 pi) - 1) / 2
const Extended GAMMA_START = Extended(uvec2(0u, 0xC0000000u), 0, 0u);  // 1.5
// The positive zero of digamma in two parts.
const Extended DIGAMMA_ZERO = Extended(uvec2(0xb5f1fb70u, 0xbb16c31au), 0, 0u);
const Extended DIGAMMA_ZERO_REST = Extended(uvec2(0x05278358u, 0xd4e4432fu), -64, 0u);
const int GAMMA_STEPS = 6;

// log(gamma(2 + s)) / s / 2 for |s| up to 1/2.
uvec2 gamma_middle(uvec2 t, bool below) {
  uvec2 h = uvec2(0x224fb52fu, 0x00000020u);
  h = fixed_signed(t, below, h, uvec2(0xc0ca20f0u, 0xffffffbcu));
  h = fixed_signed(t, below, h, uvec2(0xd9e59922u, 0x00000060u));
  h = fixed_signed(t, below, h, uvec2(0xf5692a28u, 0xffffff33u));
  h = fixed_signed(t, below, h, uvec2(0x59188a85u, 0x000001c9u));
  h = fixed_signed(t, below, h, uvec2(0x3b30f74fu, 0xfffffc37u));
  h = fixed_signed(t, below, h, uvec2(0xbde2c5d8u, 0x00000802u));
  h = fixed_signed(t, below, h, uvec2(0xab43c302u, 0xffffeee5u));
  h = fixed_signed(t, below, h, uvec2(0x02992dc7u, 0x000024b3u));
  h = fixed_signed(t, below, h, uvec2(0xbcf2cf66u, 0xffffb0d0u));
  h = fixed_signed(t, below, h, uvec2(0xe639afcbu, 0x0000ac06u));
  h = fixed_signed(t, below, h, uvec2(0xa6b5e0a2u, 0xfffe8721u));
  h = fixed_signed(t, below, h, uvec2(0x61f3dcd2u, 0x0003424fu));
  h = fixed_signed(t, below, h, uvec2(0xce018177u, 0xfff8b00au));
  h = fixed_signed(t, below, h, uvec2(0xf8630f5fu, 0x0010b36au));
  h = fixed_signed(t, below, h, uvec2(0x7a81fe82u, 0xffd8ea74u));
  h = fixed_signed(t, below, h, uvec2(0xab6db2edu, 0x005eb75bu));
  h = fixed_signed(t, below, h, uvec2(0xef384beau, 0xff0dfd81u));
  h = fixed_signed(t, below, h, uvec2(0x8fb0906au, 0x02a26455u));
  h = fixed_signed(t, below, h, uvec2(0xd544fcc7u, 0xf760fff2u));
  h = fixed_signed(t, below, h, uvec2(0x4c1f4c8cu, 0x29469989u));
  return fixed_signed(t, below, h, uvec2(0x41279c2eu, 0x361dcc0eu));
}

// digamma(x) / (x - its zero) / 4 for x = 1.5 + s and |s| up to 1/2.
uvec2 digamma_middle(uvec2 t, bool below) {
  uvec2 h = uvec2(0x15330f88u, 0xffff5eebu);
  h = fixed_signed(t, below, h, uvec2(0x66c0182cu, 0x0000f19fu));
  h = fixed_signed(t, below, h, uvec2(0xd30cd684u, 0xffff9b52u));
  h = fixed_signed(t, below, h, uvec2(0xe1b969f8u, 0x00009703u));
  h = fixed_signed(t, below, h, uvec2(0x73694a0fu, 0xfffe6156u));
  h = fixed_signed(t, below, h, uvec2(0x17fce512u, 0x00026dffu));
  h = fixed_signed(t, below, h, uvec2(0xc858f711u, 0xfffca9bau));
  h = fixed_signed(t, below, h, uvec2(0xa1375f6au, 0x0005016cu));
  h = fixed_signed(t, below, h, uvec2(0x62591834u, 0xfff86891u));
  h = fixed_signed(t, below, h, uvec2(0xfff47dd9u, 0x000b6343u));
  h = fixed_signed(t, below, h, uvec2(0x806a9c1au, 0xffeeeeadu));
  h = fixed_signed(t, below, h, uvec2(0x571d0c7cu, 0x00199ab8u));
  h = fixed_signed(t, below, h, uvec2(0xe15b7714u, 0xffd99596u));
  h = fixed_signed(t, below, h, uvec2(0x1cc04ebeu, 0x0039a440u));
  h = fixed_signed(t, below, h, uvec2(0x33e73c4bu, 0xffa97e04u));
  h = fixed_signed(t, below, h, uvec2(0x076307afu, 0x0081e053u));
  h = fixed_signed(t, below, h, uvec2(0x23252b29u, 0xff3ce553u));
  h = fixed_signed(t, below, h, uvec2(0x9d662162u, 0x01256471u));
  h = fixed_signed(t, below, h, uvec2(0xb2821aa9u, 0xfe46074eu));
  h = fixed_signed(t, below, h, uvec2(0x2e2d5715u, 0x029bd354u));
  h = fixed_signed(t, below, h, uvec2(0xacc36a6bu, 0xfc0977bfu));
  h = fixed_signed(t, below, h, uvec2(0x40e60281u, 0x06144b96u));
  h = fixed_signed(t, below, h, uvec2(0x3ac0fb7au, 0xf68088a3u));
  h = fixed_signed(t, below, h, uvec2(0xc737b522u, 0x0f650c4du));
  h = fixed_signed(t, below, h, uvec2(0xfa116987u, 0xe4e349cfu));
  return fixed_signed(t, below, h, uvec2(0x0e6c2cc8u, 0x3cde1977u));
}

// What Stirling's formula lacks, times x, for w = 64 / x^2.
uvec2 gamma_series(uvec2 w) {
  uvec2 h = uvec2(0x000155b4u, 0x00000000u);
  h = fixed_down(w, h, uvec2(0x00196db4u, 0x00000000u));
  h = fixed_down(w, h, uvec2(0x01f5ff30u, 0x00000000u));
  h = fixed_down(w, h, uvec2(0x3729edadu, 0x00000000u));
  h = fixed_down(w, h, uvec2(0xc09bf604u, 0x00000009u));
  h = fixed_down(w, h, uvec2(0x34033dc2u, 0x00000340u));
  h = fixed_down(w, h, uvec2(0x82d82d65u, 0x0002d82du));
  return fixed_down(w, h, uvec2(0x55555555u, 0x15555555u));
}

// (log(x) - 1 / (2 x) - digamma(x)) x^2, for w = 64 / x^2.
uvec2 digamma_series(uvec2 w) {
  uvec2 h = uvec2(0x001329c9u, 0x00000000u);
  h = fixed_down(w, h, uvec2(0x0147c697u, 0x00000000u));
  h = fixed_down(w, h, uvec2(0x158e68c9u, 0x00000000u));
  h = fixed_down(w, h, uvec2(0xf077209cu, 0x00000001u));
  h = fixed_down(w, h, uvec2(0x444303feu, 0x00000044u));
  h = fixed_down(w, h, uvec2(0x0410195cu, 0x00001041u));
  h = fixed_down(w, h, uvec2(0x888886a7u, 0x00088888u));
  return fixed_down(w, h, uvec2(0x55555552u, 0x15555555u));
}

// Of a positive number.
Extended extended_gammaln(Extended x) {
  bool large = x.exponent >= 3, low = extended_less(x, GAMMA_START), lowest = x.exponent < -1;
  Extended next = extended_add(x, EXTENDED_ONE), y = extended_select(low, next, x);
  Extended factor = extended_select(low, x, EXTENDED_ONE);
  y = extended_select(lowest, extended_add(x, EXTENDED_TWO), y);
  factor = extended_select(lowest, extended_multiply(x, next), factor);
  Extended most = extended_add(EXTENDED_TWO, extended_scale(EXTENDED_ONE, -1));
  for (int k = 0; k < GAMMA_STEPS; ++k) {
    bool steps = !extended_less(y, most);
    y = extended_select(steps, extended_subtract(y, EXTENDED_ONE), y);
    factor = extended_select(steps, extended_multiply(factor, y), factor);
  }
  Extended s = extended_subtract(y, EXTENDED_TWO);
  Extended middle = extended_normal(gamma_middle(fixed_of(s), s.sign != 0u), 0, 0u);
  Extended logarithm = extended_log(extended_select(large, x, factor));
  logarithm.sign ^= select(both(low, !large), DOUBLE_SIGN, 0u);
  Extended near = extended_add(extended_multiply(s, middle), logarithm);
  // (x - 1/2) (log(x) - 1) + the limit + the series.
  Extended inverse = extended_divide(EXTENDED_ONE, x);
  uvec2 w = fixed_of(extended_scale(extended_multiply(inverse, inverse), 6));
  Extended rest = extended_multiply(extended_normal(gamma_series(w), -1, 0u), inverse);
  Extended less = extended_subtract(x, extended_scale(EXTENDED_ONE, -1));
  Extended far = extended_multiply(less, extended_subtract(logarithm, EXTENDED_ONE));
  far = extended_add(far, extended_add(GAMMA_LIMIT, rest));
  return extended_select(large, far, near);
}

// Of a positive number.
Extended extended_digamma(Extended x) {
  bool large = x.exponent >= 3, low = x.exponent < 0;
  Extended y = extended_select(low, extended_add(x, EXTENDED_ONE), x);
  Extended inverse = extended_divide(EXTENDED_ONE, x);
  Extended sum = inverse;
  sum.bits = select(low, inverse.bits, uvec2(0u));
  sum.exponent = select(low, inverse.exponent, EXTENDED_LEAST);
  sum.sign = DOUBLE_SIGN;
  for (int k = 0; k < GAMMA_STEPS; ++k) {
    bool steps = y.exponent > 0;
    y = extended_select(steps, extended_subtract(y, EXTENDED_ONE), y);
    Extended more = extended_add(sum, extended_divide(EXTENDED_ONE, y));
    sum = extended_select(steps, more, sum);
  }
  Extended s = extended_subtract(y, GAMMA_START);
  Extended middle = extended_normal(digamma_middle(fixed_of(s), s.sign != 0u), 1, 0u);
  Extended away = extended_subtract(extended_subtract(y, DIGAMMA_ZERO), DIGAMMA_ZERO_REST);
  Extended near = extended_add(extended_multiply(away, middle), sum);
  Extended square = extended_multiply(inverse, inverse);
  Extended series = extended_normal(digamma_series(fixed_of(extended_scale(square, 6))), -1, 0u);
  Extended less = extended_add(extended_scale(inverse, -1), extended_multiply(series, square));
  return extended_select(large, extended_subtract(extended_log(x), less), near);
}

// sin(pi r) or cos(pi r) for r = a - the nearest integer to a, without its sign.
Extended gamma_sine(Extended r, bool cosine) {
  bool far = r.exponent >= -2;
  Extended other = extended_subtract(extended_scale(EXTENDED_ONE, -1), r);
  Extended angle = extended_multiply(extended_select(far, other, r), EXTENDED_PI);
  return extended_sine(angle, far != cosine);
}

uvec2 gamma_rest(uvec2 x) { return double_subtract(x, double_round(x)); }

uvec2 double_gammaln(uvec2 x) {
  if (double_is_nan(x)) return DOUBLE_NAN;
  uvec2 rest = gamma_rest(x);
  bool negative = double_is_negative(x);
  if (double_is_infinite(x) || double_is_zero(x) || negative && double_is_zero(rest)) return DOUBLE_INFINITY;
  Extended a = extended_abs(extended_of(x)), r = extended_abs(extended_of(rest));
  Extended result = extended_gammaln(a);
  Extended product = extended_multiply(a, gamma_sine(r, false));
  Extended below = extended_subtract(extended_subtract(EXTENDED_LOG_PI, extended_log(product)), result);
  return double_of(extended_select(negative, below, result));
}

// Below 0: digamma(a) + 1 / a + pi / tan(pi a) for a = -x.
uvec2 double_digamma(uvec2 x) {
  if (double_is_zero(x)) return double_negate(double_copysign(DOUBLE_INFINITY, x));
  uvec2 rest = gamma_rest(x);
  bool negative = double_is_negative(x);
  if (double_is_infinite(x) && !negative) return x;
  if (!double_is_finite(x) || negative && double_is_zero(rest)) return DOUBLE_NAN;
  Extended a = extended_abs(extended_of(x)), r = extended_of(rest), size = extended_abs(r);
  Extended result = extended_digamma(a);
  Extended cotangent = extended_divide(gamma_sine(size, true), gamma_sine(size, false));
  cotangent = extended_multiply(cotangent, EXTENDED_PI);
  cotangent.sign = ~r.sign & DOUBLE_SIGN;
  Extended below = extended_add(extended_add(result, extended_divide(EXTENDED_ONE, a)), cotangent);
  return double_of(extended_select(negative, below, result));
}

// x log(y), and 0 where x is 0 unless y is NaN.
uvec2 double_xlogy(uvec2 x, uvec2 y) {
  if (double_is_nan(y) || double_is_zero(x)) return double_is_nan(y) ? DOUBLE_NAN : uvec2(0u);
  uvec2 logarithm = double_log(y);
  Extended product = extended_multiply(extended_of(x), extended_log(extended_of(y)));
  bool usual = double_is_finite(x) && double_is_finite(logarithm);
  return usual ? double_of(product) : double_multiply(x, logarithm);
}

#endif
