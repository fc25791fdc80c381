// Real numbers of one of two types, by the same names: float32, or float64 if DOUBLE is defined. Every operation
// rounds once, so a source that is built for both has the same steps in both.
#ifndef REAL_HEAD
#define REAL_HEAD
#ifdef DOUBLE
#include "math/double_divide.glsl"
#define REAL uvec2
#define ZERO uvec2(0u)
#define ONE DOUBLE_ONE
#define HALF DOUBLE_HALF
#define EPSILON uvec2(0u, 0x3CB00000u)  // 2^-52
REAL plus(REAL a, REAL b) { return double_add(a, b); }
REAL minus(REAL a, REAL b) { return double_subtract(a, b); }
REAL times(REAL a, REAL b) { return double_multiply(a, b); }
REAL over(REAL a, REAL b) { return double_divide(a, b); }
REAL root(REAL a) { return double_sqrt(a); }
REAL negative(REAL a) { return double_negate(a); }
REAL magnitude(REAL a) { return double_abs(a); }
REAL with_sign(REAL a, REAL b) { return double_copysign(a, b); }
bool is_zero(REAL a) { return double_is_zero(a); }
bool is_nan(REAL a) { return double_is_nan(a); }
bool is_negative(REAL a) { return double_is_negative(a); }
bool less(REAL a, REAL b) { return double_less(a, b); }
// Of magnitudes, by their bits: NaN is the largest.
bool beyond(REAL a, REAL b) { return long_less(b, a, false); }
REAL two_to(int exponent) { return uvec2(0u, uint(exponent + 1023) << 20u); }
int exponent_of(REAL a) { return int(a.y >> 20u & 0x7FFu) - 1023; }
REAL fraction_of(REAL a) { return uvec2(a.x, a.y & DOUBLE_FRACTION | DOUBLE_ONE.y); }
const int LEAST_EXPONENT = -1022, MOST_EXPONENT = 1023;
#else
#include "math/divide.glsl"
#define REAL float
#define ZERO 0.0
#define ONE 1.0
#define HALF 0.5
#define EPSILON 1.1920928955078125e-7  // 2^-23
REAL plus(REAL a, REAL b) {
  precise float sum = a + b;
  return sum;
}
REAL minus(REAL a, REAL b) {
  precise float difference = a - b;
  return difference;
}
REAL times(REAL a, REAL b) {
  precise float product = a * b;
  return product;
}
REAL over(REAL a, REAL b) { return float_divide(a, b); }
REAL root(REAL a) { return float_sqrt(a); }
REAL negative(REAL a) { return uintBitsToFloat(floatBitsToUint(a) ^ FLOAT_SIGN); }
REAL magnitude(REAL a) { return uintBitsToFloat(floatBitsToUint(a) & ~FLOAT_SIGN); }
REAL with_sign(REAL a, REAL b) {
  return uintBitsToFloat(floatBitsToUint(a) & ~FLOAT_SIGN | floatBitsToUint(b) & FLOAT_SIGN);
}
bool is_zero(REAL a) { return (floatBitsToUint(a) & ~FLOAT_SIGN) == 0u; }
bool is_nan(REAL a) { return (floatBitsToUint(a) & ~FLOAT_SIGN) > FLOAT_INFINITY; }
bool is_negative(REAL a) { return floatBitsToUint(a) >> 31u != 0u; }
bool less(REAL a, REAL b) { return !is_nan(a) && !is_nan(b) && a < b; }
bool beyond(REAL a, REAL b) { return floatBitsToUint(a) > floatBitsToUint(b); }
REAL two_to(int exponent) { return uintBitsToFloat(uint(exponent + 127) << 23u); }
int exponent_of(REAL a) { return int(floatBitsToUint(a) >> 23u & 0xffu) - 127; }
REAL fraction_of(REAL a) { return uintBitsToFloat(floatBitsToUint(a) & FLOAT_FRACTION | FLOAT_ONE); }
const int LEAST_EXPONENT = -126, MOST_EXPONENT = 127;
#endif

// a + b * c and a - b * c, each step rounded.
REAL plus_product(REAL a, REAL b, REAL c) { return plus(a, times(b, c)); }
REAL minus_product(REAL a, REAL b, REAL c) { return minus(a, times(b, c)); }

bool is_finite(REAL a) { return exponent_of(a) <= MOST_EXPONENT; }

// A power of two that brings a magnitude to between 1 and 2; the nearest one that there is.
REAL scale_for(REAL a) { return two_to(clamp(-exponent_of(a), LEAST_EXPONENT, MOST_EXPONENT)); }
#endif
