// Inverse trigonometric functions of float64, by integers: each is the angle of a point.
#ifndef DOUBLE_ARC_HEAD
#define DOUBLE_ARC_HEAD
#include "math/tangents.glsl"

const Extended ARC_TANGENT = Extended(uvec2(0xe7799211u, 0xd413cccfu), -2, 0u);  // tan(pi/8)

// The angle of the point (x, y) from the positive x axis, but for the sign, which is that of y; both are finite.
Ratio angle_ratio(Extended y, Extended x) {
  Extended a = extended_abs(x), b = extended_abs(y);
  bool swap = extended_less(a, b);
  Extended large = extended_select(swap, b, a), small = extended_select(swap, a, b);
  // Beyond pi/8: from pi/4, whose tangent is 1.
  bool middle = extended_less(extended_multiply(large, ARC_TANGENT), small);
  Extended num = extended_select(middle, extended_subtract(small, large), small);
  Extended den = extended_select(middle, extended_add(large, small), large);
  // pi/4 so many times, plus or minus the rest.
  bool left = x.sign != 0u;
  int quarters = middle ? 1 : 0;
  quarters = select(swap, 2 - quarters, quarters);
  quarters = select(left, 4 - quarters, quarters);
  num.sign ^= swap != left ? DOUBLE_SIGN : 0u;
  return Ratio(num, den, quarters);
}

Extended extended_angle(Extended y, Extended x) {
  Extended angle = tangent_of(true, angle_ratio(y, x));
  return Extended(angle.bits, angle.exponent, y.sign);
}

// The point itself, or where a part is infinite, what has its direction: 1 for infinite parts, otherwise 0.
uvec4 double_direction_if_far(uvec4 point) {
  bool far_x = double_is_infinite(point.xy), far_y = double_is_infinite(point.zw), far = either(far_x, far_y);
  uvec2 unit_x = double_copysign(select(far_x, DOUBLE_ONE, uvec2(0u)), point.xy);
  uvec2 unit_y = double_copysign(select(far_y, DOUBLE_ONE, uvec2(0u)), point.zw);
  return uvec4(select(far, unit_x, point.xy), select(far, unit_y, point.zw));
}

// As extended_angle, of any numbers but NaN.
Extended extended_atan2(uvec2 y, uvec2 x) {
  uvec4 point = double_direction_if_far(uvec4(x, y));
  return extended_angle(extended_of(point.zw), extended_of(point.xy));
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
