// Integer powers of float64, by squaring with 128 bits, so that only the result is rounded.
#ifndef DOUBLE_POWER_HEAD
#define DOUBLE_POWER_HEAD
#include "math/double_divide.glsl"
#include "math/wide.glsl"

// Exponents are clamped to this: such numbers are 0 or infinite anyway, and so are their powers.
const int POWER_FAR = 1 << 20;

// The upper half of the product of numbers whose top bits are set; its last bit is sticky.
Wide power_product(Wide a, Wide b) {
  uint words[8] = uint[8](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    uint above = 0u;
    [[unroll]] for (uint k = 0u; k < 4u; ++k) {
      uvec2 sum = long_add(long_product(a.bits[i], b.bits[k]), uvec2(words[i + k], 0u));
      sum = long_add(sum, uvec2(above, 0u));
      words[i + k] = sum.x;
      above = sum.y;
    }
    words[i + 4u] = above;
  }
  uvec4 high = uvec4(words[4], words[5], words[6], words[7]);
  bool full = high.w >> 31u != 0u;
  uvec4 moved = high << 1u | uvec4(words[3], high.xyz) >> 31u;
  high = full ? high : moved;
  uint lost = words[0] | words[1] | words[2] | (full ? words[3] : words[3] << 1u);
  high.x |= lost != 0u ? 1u : 0u;
  int exponent = a.exponent + b.exponent + (full ? 1 : 0);
  return Wide(high, clamp(exponent, -POWER_FAR, POWER_FAR));
}

// The magnitude of an integer, at most 2^63: only powers of 1 stay finite and above 0 for such exponents.
uvec2 power_whole(uvec2 b) {
  int exponent;
  uvec2 bits = double_significand(b, exponent);
  return exponent - 1023 > 63 ? uvec2(0u, DOUBLE_SIGN) : long_right(bits, uint(1086 - exponent));
}

// a^b for an integer b, as in C99: a^0 is 1 for any a, even NaN, and the sign of zeros and infinities
// depends on whether b is odd.
uvec2 double_whole_power(uvec2 a, uvec2 b) {
  uvec2 left = double_is_zero(b) ? uvec2(0u) : power_whole(b);
  bool odd = (left.x & 1u) != 0u && (b.y & DOUBLE_EXPONENT) < 1077u << 20u;
  uint sign = odd ? a.y & DOUBLE_SIGN : 0u;
  int exponent;
  uvec2 bits = double_significand(a, exponent);
  Wide base = Wide(uvec4(0u, 0u, bits), exponent - 1023);
  Wide power = Wide(uvec4(0u, 0u, 0u, DOUBLE_SIGN), 0);
  for (; !long_is_zero(left); left = long_right(left, 1u)) {
    if ((left.x & 1u) != 0u) power = power_product(power, base);
    base = power_product(base, base);
  }
  // The power itself, rounded once; or its reciprocal, from its 64 leading bits.
  uvec2 divisor = power.bits.zw, whole = divisor;
  whole.x |= (power.bits.x | power.bits.y) != 0u ? 1u : 0u;
  uvec2 rest = uvec2(0u, 0x40000000u), quotient;
  uint reciprocal = long_reciprocal(divisor);
  quotient.y = long_digit(rest, divisor, reciprocal, 0u);
  quotient.x = long_digit(rest, divisor, reciprocal, 0u);
  quotient.x |= long_is_zero(rest) ? 0u : 1u;
  bool inverse = double_is_negative(b);
  uvec2 result = double_pack(sign, 1023 + (inverse ? -power.exponent : power.exponent),
                             inverse ? quotient : whole);
  bool large = double_is_infinite(a) != inverse;
  if (double_is_infinite(a) || double_is_zero(a))
    result = uvec2(0u, large ? DOUBLE_EXPONENT | sign : sign);
  if (double_is_nan(a)) result = DOUBLE_NAN;
  return double_is_zero(b) ? DOUBLE_ONE : result;
}

#endif
