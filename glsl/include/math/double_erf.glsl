// The error function of float64, its complement and gelu, by integers.
#ifndef DOUBLE_ERF_HEAD
#define DOUBLE_ERF_HEAD
#include "math/double_exp.glsl"

const Extended EXTENDED_FOUR = Extended(uvec2(0u, DOUBLE_SIGN), 2, 0u);
const Extended EXTENDED_HALF_ROOT = Extended(uvec2(0xf9de6484u, 0xb504f333u), -1, 0u);  // 1 / sqrt(2)
const Extended ERF_SLOPE = Extended(uvec2(0x14db688du, 0x906eba82u), 0, 0u);  // 2 / sqrt(pi)

// A step of a polynomial of signed fractions.
uvec2 fixed_signed(uvec2 t, bool negative, uvec2 h, uvec2 c) {
  bool below = long_is_negative(h, true);
  uvec2 product = fixed_product(t, long_negate_if(below, h));
  return long_add(c, long_negate_if(negative != below, product));
}

// e^(x^2) erfc(x) (1 + 2 x) / 4 for 0 <= x <= 28, as a polynomial of (x - 4) / (x + 4).
uvec2 erfc_scaled(Extended x) {
  Extended ratio = extended_divide(extended_subtract(x, EXTENDED_FOUR), extended_add(x, EXTENDED_FOUR));
  bool below = ratio.sign != 0u, whole = ratio.exponent >= 0;
  uvec2 t = whole ? uvec2(0xFFFFFFFFu) : fixed_of(ratio);
  uvec2 h = uvec2(0xf118f5e8u, 0xffffffffu);
  h = fixed_signed(t, below, h, uvec2(0x9ff6cb76u, 0xffffffffu));
  h = fixed_signed(t, below, h, uvec2(0xb70128deu, 0xffffffffu));
  h = fixed_signed(t, below, h, uvec2(0xd18fc0f9u, 0x00000002u));
  h = fixed_signed(t, below, h, uvec2(0xf05f26acu, 0x00000003u));
  h = fixed_signed(t, below, h, uvec2(0x9a91e307u, 0xffffffeeu));
  h = fixed_signed(t, below, h, uvec2(0x9a51acedu, 0xffffffe8u));
  h = fixed_signed(t, below, h, uvec2(0xee9469a4u, 0x00000077u));
  h = fixed_signed(t, below, h, uvec2(0xce75507du, 0x00000054u));
  h = fixed_signed(t, below, h, uvec2(0x072a882au, 0xfffffc89u));
  h = fixed_signed(t, below, h, uvec2(0x44d40278u, 0x00000138u));
  h = fixed_signed(t, below, h, uvec2(0xd0fde5c8u, 0x000017f2u));
  h = fixed_signed(t, below, h, uvec2(0xdb5c8d02u, 0xffffd0efu));
  h = fixed_signed(t, below, h, uvec2(0x9fac5ee2u, 0xffff99a9u));
  h = fixed_signed(t, below, h, uvec2(0x61d855dfu, 0x000277c0u));
  h = fixed_signed(t, below, h, uvec2(0xb7675dc3u, 0xfffcbc41u));
  h = fixed_signed(t, below, h, uvec2(0x34356c73u, 0xfff395abu));
  h = fixed_signed(t, below, h, uvec2(0xa150762fu, 0x0052719cu));
  h = fixed_signed(t, below, h, uvec2(0x7aa1ea7eu, 0xfef69dc7u));
  h = fixed_signed(t, below, h, uvec2(0xed093f76u, 0x0260f3dbu));
  h = fixed_signed(t, below, h, uvec2(0x06de94f6u, 0xfbc13e48u));
  h = fixed_signed(t, below, h, uvec2(0x3849290du, 0x05ffb801u));
  h = fixed_signed(t, below, h, uvec2(0xf05bb417u, 0xf9889370u));
  h = fixed_signed(t, below, h, uvec2(0x3e94e629u, 0x045bb3bfu));
  h = fixed_signed(t, below, h, uvec2(0xb37ebe0au, 0x00fbfaefu));
  h = fixed_signed(t, below, h, uvec2(0x55aeb8dau, 0xf7107297u));
  h = fixed_signed(t, below, h, uvec2(0xa7f5fb2bu, 0x4ee9645bu));
  return h;
}

// erfc(x * scale) for x >= 0, where scale^2 is 2^power: the square of x has all its digits.
Extended erfc_of(Extended x, Extended scale, int power) {
  uvec4 square = long_whole_product(x.bits, x.bits);
  Wide v = wide_multiply(Wide(square, 2 * x.exponent + 1 + power), WIDE_LOG2_E);
  Extended decay = exp_whole(exp2_parts(v, DOUBLE_SIGN));
  Extended a = extended_multiply(x, scale);
  Extended product = extended_multiply(decay, extended_normal(erfc_scaled(a), 1, 0u));
  return extended_divide(product, extended_add(EXTENDED_ONE, extended_scale(a, 1)));
}

// erf(x) for 0 <= x <= 1/2: 2 x / sqrt(pi) times 1 - z (1/3 - ...), for z = x^2.
Extended erf_near(Extended x) {
  uvec2 size = fixed_of(x), z = fixed_product(size, size);
  uvec2 h = uvec2(0xd2380855u, 0x00000032u);
  h = fixed_down(z, h, uvec2(0x0b830938u, 0x0000026cu));
  h = fixed_down(z, h, uvec2(0x284df2d2u, 0x00001879u));
  h = fixed_down(z, h, uvec2(0x966e8fd8u, 0x0000ddebu));
  h = fixed_down(z, h, uvec2(0x02d0c248u, 0x00070070u));
  h = fixed_down(z, h, uvec2(0x1a188f18u, 0x0031a603u));
  h = fixed_down(z, h, uvec2(0xda1035f0u, 0x012f684bu));
  h = fixed_down(z, h, uvec2(0x18617857u, 0x06186186u));
  h = fixed_down(z, h, uvec2(0x9999997fu, 0x19999999u));
  h = fixed_down(z, h, uvec2(0x55555555u, 0x55555555u));
  Extended factor = Extended(~fixed_product(z, h), -1, 0u);
  return extended_multiply(extended_multiply(x, ERF_SLOPE), factor);
}

Extended extended_erf(Extended x) {
  Extended a = extended_abs(x), above = extended_subtract(EXTENDED_ONE, erfc_of(a, EXTENDED_ONE, 0));
  Extended result = extended_select(a.exponent < -1, erf_near(a), above);
  return Extended(result.bits, result.exponent, x.sign);
}

Extended extended_erfc(Extended x) {
  Extended above = erfc_of(extended_abs(x), EXTENDED_ONE, 0);
  return extended_select(x.sign != 0u, extended_subtract(EXTENDED_TWO, above), above);
}

uvec2 double_erf(uvec2 x) { return double_unless_nan(extended_erf(extended_of(x)), x); }

// x times the normal distribution function, erfc(-x / sqrt(2)) / 2, and its limit -0 at -inf.
uvec2 double_gelu(uvec2 x) {
  Extended a = extended_of(x), tail = erfc_of(extended_abs(a), EXTENDED_HALF_ROOT, -1);
  Extended share = extended_select(a.sign != 0u, tail, extended_subtract(EXTENDED_TWO, tail));
  Extended product = extended_scale(extended_multiply(a, share), -1);
  return double_unless_nan(product, x);
}

#endif
