// Inverse trigonometric functions of float64, by integers: each is the angle of a point.
#ifndef DOUBLE_ARC_HEAD
#define DOUBLE_ARC_HEAD
#include "math/extended.glsl"

const Extended EXTENDED_QUARTER_PI = Extended(uvec2(0x2168c235u, 0xc90fdaa2u), -1, 0u);
const Extended ARC_TANGENT = Extended(uvec2(0xe7799211u, 0xd413cccfu), -2, 0u);  // tan(pi/8)

// The angle of the point (x, y) from the positive x axis; both are finite. Its sign is that of y.
Extended extended_angle(Extended y, Extended x) {
  Extended a = extended_abs(x), b = extended_abs(y);
  bool swap = extended_less(a, b);
  Extended large = extended_select(swap, b, a), small = extended_select(swap, a, b);
  // Beyond pi/8: from pi/4, whose tangent is 1.
  bool middle = extended_less(extended_multiply(large, ARC_TANGENT), small);
  Extended num = extended_select(middle, extended_subtract(small, large), small);
  Extended den = extended_select(middle, extended_add(large, small), large);
  Extended s = extended_divide(num, den);
  uvec2 size = fixed_of(s), z = fixed_product(size, size);
  uvec2 h = uvec2(0xfb120381u, 0x03900f8fu);
  h = fixed_down(z, h, uvec2(0xe49fc218u, 0x07d7a880u));
  h = fixed_down(z, h, uvec2(0x99128e6au, 0x0a81d8efu));
  h = fixed_down(z, h, uvec2(0x30a95ab0u, 0x0c14e4d2u));
  h = fixed_down(z, h, uvec2(0xe2ad1aebu, 0x0d75e8a1u));
  h = fixed_down(z, h, uvec2(0x948d97b4u, 0x0f0ec744u));
  h = fixed_down(z, h, uvec2(0xdb22d5adu, 0x11110cedu));
  h = fixed_down(z, h, uvec2(0x970e587bu, 0x13b13aeau));
  h = fixed_down(z, h, uvec2(0x561adfffu, 0x1745d173u));
  h = fixed_down(z, h, uvec2(0x6ddb132bu, 0x1c71c71cu));
  h = fixed_down(z, h, uvec2(0x924158a6u, 0x24924924u));
  h = fixed_down(z, h, uvec2(0x33332d19u, 0x33333333u));
  h = fixed_down(z, h, uvec2(0x55555555u, 0x55555555u));
  Extended rest = extended_multiply(s, Extended(~fixed_product(z, h), -1, 0u));
  // pi/4 so many times, plus or minus the rest.
  bool left = x.sign != 0u;
  uint quarters = middle ? 1u : 0u;
  quarters = swap ? 2u - quarters : quarters;
  quarters = left ? 4u - quarters : quarters;
  rest.sign ^= swap != left ? DOUBLE_SIGN : 0u;
  Extended base = extended_multiply(extended_normal(uvec2(quarters, 0u), 63, 0u), EXTENDED_QUARTER_PI);
  Extended angle = extended_add(base, rest);
  return Extended(angle.bits, angle.exponent, y.sign);
}

// As extended_angle, of any numbers but NaN.
Extended extended_atan2(uvec2 y, uvec2 x) {
  // Of infinities, what matters is which are.
  bool far = double_is_infinite(x) || double_is_infinite(y);
  x = far ? double_copysign(double_is_infinite(x) ? DOUBLE_ONE : uvec2(0u), x) : x;
  y = far ? double_copysign(double_is_infinite(y) ? DOUBLE_ONE : uvec2(0u), y) : y;
  return extended_angle(extended_of(y), extended_of(x));
}

uvec2 double_atan2(uvec2 y, uvec2 x) {
  bool nan = double_is_nan(x) || double_is_nan(y);
  return nan ? DOUBLE_NAN : double_of(extended_atan2(y, x));
}

uvec2 double_atan(uvec2 x) { return double_atan2(x, DOUBLE_ONE); }

// sqrt((1 - x) (1 + x)).
Extended arc_other(Extended x) {
  Extended one_more = extended_add(EXTENDED_ONE, x), one_less = extended_subtract(EXTENDED_ONE, x);
  return extended_sqrt(extended_abs(extended_multiply(one_more, one_less)));
}

bool arc_takes(uvec2 x) { return !long_less(DOUBLE_ONE, double_abs(x), false); }

uvec2 double_asin(uvec2 x) {
  Extended a = extended_of(x);
  return arc_takes(x) ? double_of(extended_angle(a, arc_other(a))) : DOUBLE_NAN;
}

uvec2 double_acos(uvec2 x) {
  Extended a = extended_of(x);
  return arc_takes(x) ? double_of(extended_angle(arc_other(a), a)) : DOUBLE_NAN;
}

#endif
