// The inverse tangent and the inverse hyperbolic tangent of a quotient, of which angles and logarithms consist.
// They are one function, so that a loop can do both: most of the code of complex logarithms and powers is here, and
// drivers that copy it twice take twice as long to compile.
#ifndef TANGENTS_HEAD
#define TANGENTS_HEAD
#include "math/extended.glsl"

const Extended EXTENDED_LN2 = Extended(uvec2(0xd1cf79acu, 0xb17217f7u), -1, 0u);
const Extended EXTENDED_QUARTER_PI = Extended(uvec2(0x2168c235u, 0xc90fdaa2u), -1, 0u);

// A logarithm: of a number near 1 times 2^times, it is 2 artanh(num / den) and `times` ln 2. Or an angle:
// atan(num / den) and `times` pi/4.
struct Ratio {
  Extended num, den;
  int times;
};

Ratio ratio_select(bool which, Ratio yes, Ratio no) {
  return Ratio(extended_select(which, yes.num, no.num), extended_select(which, yes.den, no.den),
               select(which, yes.times, no.times));
}

Extended extended_whole(int a) {
  uint sign = a < 0 ? DOUBLE_SIGN : 0u;
  return extended_normal(uvec2(uint(abs(a)), 0u), 63, sign);
}

// A step of a polynomial of fractions, with terms of alternating signs or of one.
uvec2 tangent_step(bool angle, uvec2 z, uvec2 h, uvec2 c) {
  return long_add(long_negate_if(angle, fixed_product(z, h)), c);
}

// (artanh(s) / s - 1) / s^2 for z = s^2 up to 0.0295, or (1 - atan(s) / s) / s^2 for z up to 0.1716.
uvec2 tangent_series(bool angle, uvec2 z) {
  uvec2 h = uvec2(0u);
  if (angle) {
    h = uvec2(0xfb120381u, 0x03900f8fu);
    h = fixed_down(z, h, uvec2(0xe49fc218u, 0x07d7a880u));
    h = fixed_down(z, h, uvec2(0x99128e6au, 0x0a81d8efu));
    h = fixed_down(z, h, uvec2(0x30a95ab0u, 0x0c14e4d2u));
  }
  h = tangent_step(angle, z, h, angle ? uvec2(0xe2ad1aebu, 0x0d75e8a1u) : uvec2(0x317dd5fau, 0x0f35a4c4u));
  h = tangent_step(angle, z, h, angle ? uvec2(0x948d97b4u, 0x0f0ec744u) : uvec2(0x876ee614u, 0x0ef5f29du));
  h = tangent_step(angle, z, h, angle ? uvec2(0xdb22d5adu, 0x11110cedu) : uvec2(0x7572928cu, 0x1111d2a4u));
  h = tangent_step(angle, z, h, angle ? uvec2(0x970e587bu, 0x13b13aeau) : uvec2(0x27e9efe4u, 0x13b137b2u));
  h = tangent_step(angle, z, h, angle ? uvec2(0x561adfffu, 0x1745d173u) : uvec2(0x38dd4268u, 0x1745d17du));
  h = tangent_step(angle, z, h, angle ? uvec2(0x6ddb132bu, 0x1c71c71cu) : uvec2(0x64c25af7u, 0x1c71c71cu));
  h = tangent_step(angle, z, h, angle ? uvec2(0x924158a6u, 0x24924924u) : uvec2(0x9252b79au, 0x24924924u));
  h = tangent_step(angle, z, h, angle ? uvec2(0x33332d19u, 0x33333333u) : uvec2(0x3333307eu, 0x33333333u));
  return tangent_step(angle, z, h, uvec2(0x55555555u, 0x55555555u));
}

// 2 artanh(num / den), or atan(num / den).
Extended tangent_rest(bool angle, Ratio ratio) {
  Extended s = extended_divide(ratio.num, ratio.den);
  uvec2 size = fixed_of(s), z = fixed_product(size, size);
  uvec2 part = fixed_product(z, tangent_series(angle, z)), half_part = long_right(part, 1u);
  uvec2 bits = select(angle, ~part, uvec2(half_part.x, half_part.y | DOUBLE_SIGN));
  Extended rest = extended_multiply(s, Extended(bits, select(angle, -1, 0), 0u));
  return extended_scale(rest, select(angle, 0, 1));
}

Extended tangent_of(bool angle, Ratio ratio) {
  Extended unit = extended_select(angle, EXTENDED_QUARTER_PI, EXTENDED_LN2);
  return extended_add(extended_multiply(extended_whole(ratio.times), unit), tangent_rest(angle, ratio));
}
#endif
