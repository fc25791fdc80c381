// Integers of 128 bits, lowest word first, and numbers of as many bits.
#ifndef WIDE_HEAD
#define WIDE_HEAD
#include "math/long.glsl"

// bits * 2^(exponent - 127). The top bit may be anywhere, unless a function says more.
struct Wide {
  uvec4 bits;
  int exponent;
};

uvec4 wide_add(uvec4 a, uvec4 b) {
  uvec2 low = long_add(a.xy, b.xy), high = long_add(a.zw, b.zw);
  return uvec4(low, long_add(high, uvec2(long_less(low, b.xy, false) ? 1u : 0u, 0u)));
}

uvec4 wide_negate(uvec4 a) { return wide_add(~a, uvec4(1u, 0u, 0u, 0u)); }

uvec4 wide_right(uvec4 a, uint by) {  // by < 128
  uint n = by & 63u;
  uvec2 high = long_right(a.zw, n);
  uvec2 low = long_right(a.xy, n) | (n == 0u ? uvec2(0u) : long_left(a.zw, 64u - n & 63u));
  return by < 64u ? uvec4(low, high) : uvec4(high, uvec2(0u));
}

uvec4 wide_left(uvec4 a, uint by) {  // by < 128
  uint n = by & 63u;
  uvec2 low = long_left(a.xy, n);
  uvec2 high = long_left(a.zw, n) | (n == 0u ? uvec2(0u) : long_right(a.xy, 64u - n & 63u));
  return by < 64u ? uvec4(low, high) : uvec4(uvec2(0u), low);
}

#endif
