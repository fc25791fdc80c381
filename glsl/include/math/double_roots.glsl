// Roots of float64 by integers: the reciprocal root, and the hypotenuse.
#ifndef DOUBLE_ROOTS_HEAD
#define DOUBLE_ROOTS_HEAD
#include "math/extended.glsl"

uvec2 double_rsqrt(uvec2 x) {
  if (double_is_zero(x)) return double_copysign(DOUBLE_INFINITY, x);
  if (double_is_nan(x) || double_is_negative(x)) return DOUBLE_NAN;
  if (double_is_infinite(x)) return uvec2(0u);
  return double_of(extended_divide(EXTENDED_ONE, extended_sqrt(extended_of(x))));
}

// Infinite if either is, even if the other one is NaN.
uvec2 double_hypot(uvec2 x, uvec2 y) {
  if (double_is_infinite(x) || double_is_infinite(y)) return DOUBLE_INFINITY;
  if (double_is_nan(x) || double_is_nan(y)) return DOUBLE_NAN;
  Extended a = extended_of(x), b = extended_of(y);
  Extended sum = extended_add(extended_multiply(a, a), extended_multiply(b, b));
  return double_of(extended_sqrt(sum));
}

#endif
