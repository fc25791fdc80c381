// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011)
// and the numbers made from its words. Wide numbers have their least significant word first.

// One block: four random words, a pure function of counter and key.
uvec4 philox(uvec4 counter, uvec2 key) {
  [[unroll]] for (uint round = 0u; round < 10u; ++round) {
    uvec2 high, low;
    umulExtended(counter.xz, uvec2(0xD2511F53u, 0xCD9E8D57u), high, low);
    counter = uvec4(high.y ^ counter.y ^ key.x, low.y, high.x ^ counter.w ^ key.y, low.x);
    key += uvec2(0x9E3779B9u, 0xBB67AE85u);
  }
  return counter;
}

// The counter so many blocks later, modulo 2^128.
uvec4 counter_add(uvec4 counter, uint blocks) {
  uint carry;
  counter.x = uaddCarry(counter.x, blocks, carry);
  counter.y = uaddCarry(counter.y, carry, carry);
  counter.z = uaddCarry(counter.z, carry, carry);
  counter.w += carry;
  return counter;
}

// Uniform floats in [0, 1), as bits: the highest bits of the words, as many as the format's precision,
// times a power of two. Every step is exact, so rounding and flushing do not matter.

// Exact for m < 2^24.
uint float_bits(uint m, float scale) { return floatBitsToUint(float(int(m)) * scale); }

uint uniform16(uint word) {
  // From float32: drop 13 zero bits of the fraction, and change the exponent's bias from 127 to 15.
  uint m = word >> 21u;
  return m == 0u ? 0u : (float_bits(m, 1.0 / 2048.0) >> 13u) - (112u << 10u);
}

uint uniform32(uint word) { return float_bits(word >> 8u, 1.0 / 16777216.0); }

uvec2 uniform64(uvec2 words) {
  uvec2 m = uvec2(words.x >> 11u | words.y << 21u, words.y >> 11u);
  if (m == uvec2(0u)) return m;
  // Shift the leading bit to 52, where it adds one to the exponent.
  int up = m.y != 0u ? 20 - findMSB(m.y) : 52 - findMSB(m.x);
  uint exponent = uint(1021 - up);
  if (up >= 32) m = uvec2(0u, m.x);
  up &= 31;
  return uvec2(m.x << up, (m.y << up | m.x >> 1u >> (31 - up)) + (exponent << 20u));
}
