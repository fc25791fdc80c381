// Exponentials of float64, and functions based on them: 2^v is a power of two times 1 + above, by integers.
#ifndef DOUBLE_EXP_HEAD
#define DOUBLE_EXP_HEAD
#include "math/extended.glsl"

// (1 + above) * 2^power, with above from 0 to 1.
struct Exponential2 {
  Extended above;
  int power;
};

const Wide WIDE_ONE = Wide(uvec4(0u, 0u, 0u, 0x80000000u), 0);
const Wide WIDE_LOG2_E = Wide(uvec4(0x691d3e89u, 0xbe87fed0u, 0x5c17f0bbu, 0xb8aa3b29u), 0);
const int EXP_FAR = 1 << 14;  // powers beyond overflow and underflow, also after a few products

// 2^v, for v with a sign. For small positive v, `above` has all its digits.
Exponential2 exp2_parts(Wide v, uint sign) {
  uvec4 fixed_v = wide_right(v.bits, uint(clamp(63 - v.exponent, 49, 127)));
  bool far = both(v.exponent > 13, v.bits.w != 0u);
  uvec2 fraction = select(far, uvec2(0u), fixed_v.xy);
  int power = select(far, EXP_FAR, int(fixed_v.z));
  bool negative = sign != 0u, flips = both(negative, !long_is_zero(fraction));
  bool small = both(power == 0, !negative);
  power = select(flips, ~power, select(negative, -power, power));
  fraction = long_negate_if(flips, fraction);
  // (2^f - 1) / f
  uint least = fixed_up(fraction, 0x0214d124u, uvec2(0x1a7c5766u, 0u)).x;
  uvec2 h = fixed_up(fraction, least, uvec2(0xebcc1445u, 0x00000001u));
  h = fixed_up(fraction, h, uvec2(0x49a967dfu, 0x0000001eu));
  h = fixed_up(fraction, h, uvec2(0x27aa4153u, 0x000001b5u));
  h = fixed_up(fraction, h, uvec2(0x00eaea04u, 0x0000162cu));
  h = fixed_up(fraction, h, uvec2(0xfe97ce77u, 0x0000ffe5u));
  h = fixed_up(fraction, h, uvec2(0x97aaa792u, 0x000a1848u));
  h = fixed_up(fraction, h, uvec2(0x9e2d427du, 0x005761ffu));
  h = fixed_up(fraction, h, uvec2(0xf7497d0au, 0x0276556du));
  h = fixed_up(fraction, h, uvec2(0x8250637fu, 0x0e35846bu));
  h = fixed_up(fraction, h, uvec2(0x058b1d40u, 0x3d7f7bffu));
  h = fixed_up(fraction, h, uvec2(0xd1cf79acu, 0xb17217f7u));
  uvec2 bits = select(small, v.bits.zw, fraction);
  Extended rest = extended_normal(bits, select(small, v.exponent, -1), 0u);
  return Exponential2(extended_multiply(rest, Extended(h, -1, 0u)), power);
}

// e^x.
Exponential2 exp_parts(Extended x) { return exp2_parts(wide_product(x, WIDE_LOG2_E), x.sign); }

Extended exp_whole(Exponential2 parts) {
  uvec2 above = long_right(parts.above.bits, uint(min(-parts.above.exponent, 63)));
  return Extended(uvec2(above.x, above.y | DOUBLE_SIGN), parts.power, 0u);
}

Extended extended_exp(Extended x) { return exp_whole(exp_parts(x)); }

// e^x - 1 for x >= 0, with all its digits where x is small.
Extended extended_expm1(Extended x) {
  Exponential2 parts = exp_parts(x);
  Extended less = extended_subtract(exp_whole(parts), EXTENDED_ONE);
  return extended_select(parts.power == 0, parts.above, less);
}

// Of the result for x, or NaN if x is NaN.
uvec2 double_unless_nan(Extended result, uvec2 x) {
  return select(double_is_nan(x), DOUBLE_NAN, double_of(result));
}

uvec2 double_exp(uvec2 x) { return double_unless_nan(extended_exp(extended_of(x)), x); }

uvec2 double_exp2(uvec2 x) {
  Extended a = extended_of(x);
  Wide v = Wide(uvec4(0u, 0u, a.bits), a.exponent);
  return double_unless_nan(exp_whole(exp2_parts(v, a.sign)), x);
}

// Below 0, from e^-x - 1 = m: -m / (m + 1).
uvec2 double_expm1(uvec2 x) {
  Extended a = extended_of(x), above = extended_expm1(extended_abs(a));
  Extended below = extended_divide(extended_negate(above), extended_add(above, EXTENDED_ONE));
  Extended result = extended_select(a.sign != 0u, below, above);
  return double_unless_nan(Extended(result.bits, result.exponent, a.sign), x);
}

// With m = e^|x| - 1: (m + m / (m + 1)) / 2.
Extended extended_sinh(Extended x) {
  Extended m = extended_expm1(extended_abs(x));
  Extended other = extended_divide(m, extended_add(m, EXTENDED_ONE));
  Extended sum = extended_add(m, other);
  return Extended(sum.bits, sum.exponent - 1, x.sign);
}

Extended extended_cosh(Extended x) {
  Extended power = extended_exp(extended_abs(x));
  return extended_scale(extended_add(power, extended_divide(EXTENDED_ONE, power)), -1);
}

// With m = e^(2 |x|) - 1: m / (m + 2).
Extended extended_tanh(Extended x) {
  Extended m = extended_expm1(extended_scale(extended_abs(x), 1));
  Extended ratio = extended_divide(m, extended_add(m, EXTENDED_TWO));
  return Extended(ratio.bits, ratio.exponent, x.sign);
}

uvec2 double_sinh(uvec2 x) { return double_unless_nan(extended_sinh(extended_of(x)), x); }

uvec2 double_cosh(uvec2 x) { return double_unless_nan(extended_cosh(extended_of(x)), x); }

uvec2 double_tanh(uvec2 x) { return double_unless_nan(extended_tanh(extended_of(x)), x); }

#endif
