// start + i * delta, computed exactly and rounded once, by 32-bit integer operations: drivers may round
// and flush floats as they like, and lack 64-bit types. Wide numbers have their lowest word first.

// Modulo 2^64, and so modulo smaller powers of two too.
uvec2 sequence_int(uint i, uvec2 start, uvec2 delta) {
  uvec2 product, sum;
  umulExtended(i, delta.x, product.y, product.x);
  product.y += i * delta.y;
  uint carry;
  sum.x = uaddCarry(start.x, product.x, carry);
  sum.y = start.y + product.y + carry;
  return sum;
}

uvec4 wide_add(uvec4 a, uvec4 b) {
  uvec4 sum, carry;
  sum = uaddCarry(a, b, carry);
  [[unroll]] for (int word = 0; word < 3; ++word) {
    uint more;
    sum[word + 1] = uaddCarry(sum[word + 1], carry[word], more);
    carry[word + 1] += more;
  }
  return sum;
}

uvec4 wide_negate(uvec4 a) { return wide_add(~a, uvec4(1u, 0u, 0u, 0u)); }

bool wide_is_zero(uvec4 a) { return all(equal(a, uvec4(0u))); }

int wide_top(uvec4 a) {  // the number of the highest bit set, -1 for 0
  for (int word = 3; word >= 0; --word)
    if (a[word] != 0u) return 32 * word + findMSB(a[word]);
  return -1;
}

uvec4 wide_left(uvec4 a, uint by) {  // by < 128
  if ((by & 64u) != 0u) a = uvec4(0u, 0u, a.xy);
  if ((by & 32u) != 0u) a = uvec4(0u, a.xyz);
  by &= 31u;
  return a << by | uvec4(0u, a.xyz) >> 1u >> (31u - by);  // a shift by 32 is undefined
}

// Shift right; the lowest bit is sticky: it is also set if a bit was lost, so that rounding stays correct.
uvec4 wide_right(uvec4 a, uint by) {
  if (by > 127u) return uvec4(wide_is_zero(a) ? 0u : 1u, 0u, 0u, 0u);
  uint n = by, lost = 0u;
  if ((n & 64u) != 0u) { lost |= a.x | a.y; a = uvec4(a.zw, 0u, 0u); }
  if ((n & 32u) != 0u) { lost |= a.x; a = uvec4(a.yzw, 0u); }
  n &= 31u;
  lost |= a.x & ((1u << n) - 1u);
  a = a >> n | uvec4(a.yzw, 0u) << 1u << (31u - n);
  a.x |= lost == 0u ? 0u : 1u;
  return a;
}

uvec2 format_infinity(uint mantissa_bits, uint exponent_bits) {
  return wide_left(uvec4((1u << exponent_bits) - 1u, 0u, 0u, 0u), mantissa_bits).xy;
}

uvec2 format_sign(bool negative, uvec2 bits, uint at) {
  return bits | wide_left(uvec4(negative ? 1u : 0u, 0u, 0u, 0u), at).xy;
}

// (-1)^negative * magnitude * 2^exponent.
struct Exact {
  bool negative;
  uvec4 magnitude;
  int exponent;
};

const int ZERO = -4096;  // the exponent of zero: below all others, so that the other term counts
const int TOP = 125;  // the top bit of a magnitude, which leaves room for the carry and sign of a sum

// The finite float64 with these bits, times i.
Exact exact_product(uvec2 bits, uint i) {
  uint biased = bits.y >> 20u & 0x7FFu;
  uint high = bits.y & 0xFFFFFu | (biased == 0u ? 0u : 0x100000u);
  uvec4 product = uvec4(0u);
  uint above, carry;
  umulExtended(i, bits.x, product.y, product.x);
  umulExtended(i, high, product.z, above);
  product.y = uaddCarry(product.y, above, carry);
  product.z += carry;
  int top = wide_top(product);
  if (top < 0) return Exact(bits.y >> 31u != 0u, product, ZERO);
  return Exact(bits.y >> 31u != 0u, wide_left(product, uint(TOP - top)),
               int(max(biased, 1u)) - 1075 + top - TOP);
}

Exact exact_sum(Exact a, Exact b) {
  int exponent = max(a.exponent, b.exponent);
  uvec4 x = wide_right(a.magnitude, uint(exponent - a.exponent));
  uvec4 y = wide_right(b.magnitude, uint(exponent - b.exponent));
  if (a.negative) x = wide_negate(x);
  if (b.negative) y = wide_negate(y);
  uvec4 sum = wide_add(x, y);
  bool negative = sum.w >> 31u != 0u;
  if (negative) sum = wide_negate(sum);
  // IEEE 754: a zero sum is negative only if both terms are.
  if (wide_is_zero(sum)) return Exact(a.negative && b.negative, sum, ZERO);
  return Exact(negative, sum, exponent);
}

// The bits of the nearest number in a binary format, ties to even.
uvec2 exact_round(Exact a, uint mantissa_bits, uint exponent_bits) {
  // The exponent of a unit in the last place at this magnitude; subnormals have the least.
  int least = 2 - (1 << (exponent_bits - 1u)) - int(mantissa_bits);
  int step = max(a.exponent + wide_top(a.magnitude) - int(mantissa_bits), least);
  // Two more bits than needed: the half, and a sticky bit.
  int drop = step - 2 - a.exponent;
  uvec4 quarters = drop < 0 ? wide_left(a.magnitude, uint(-drop))
                            : wide_right(a.magnitude, uint(drop));
  bool up = (quarters.x & 3u) == 3u || (quarters.x & 7u) == 6u;
  uvec4 steps = quarters >> 2u | uvec4(quarters.yzw, 0u) << 30u;
  // The leading bit of a normal number is not stored: here it adds one to the exponent.
  uvec4 bits = wide_add(wide_add(steps, uvec4(up ? 1u : 0u, 0u, 0u, 0u)),
                        wide_left(uvec4(step - least, 0u, 0u, 0u), mantissa_bits));
  uvec2 infinity = format_infinity(mantissa_bits, exponent_bits);
  bool over = bits.y > infinity.y || bits.y == infinity.y && bits.x > infinity.x;
  return format_sign(a.negative, over ? infinity : bits.xy, mantissa_bits + exponent_bits);
}

// start and delta are bits of float64; the result has the given format, which is 10 and 5 for float16, 23
// and 8 for float32, 52 and 11 for float64. A NaN result is always the same NaN.
uvec2 sequence_float(uint i, uvec2 start, uvec2 delta, uint mantissa_bits, uint exponent_bits) {
  uvec2 high = uvec2(start.y, delta.y), low = uvec2(start.x, delta.x);
  bvec2 special = equal(high & 0x7FF00000u, uvec2(0x7FF00000u));
  if (!any(special))
    return exact_round(exact_sum(exact_product(start, 1u), exact_product(delta, i)),
                       mantissa_bits, exponent_bits);
  bvec2 fraction = notEqual(high & 0xFFFFFu | low, uvec2(0u));
  bool nan = special.x && fraction.x || special.y && (fraction.y || i == 0u) ||
             all(special) && (high.x ^ high.y) >> 31u != 0u;
  uvec2 infinity = format_infinity(mantissa_bits, exponent_bits);
  if (nan) return infinity | wide_left(uvec4(1u, 0u, 0u, 0u), mantissa_bits - 1u).xy;
  return format_sign((special.x ? high.x : high.y) >> 31u != 0u, infinity,
                     mantissa_bits + exponent_bits);
}
