// sin, cos and tan of float64 for arguments of any size, by integers: from the difference to the nearest
// multiple of pi/2, which has 64 digits even where it is tiny. NaN and infinities give NaN.
#ifndef DOUBLE_TRIG_HEAD
#define DOUBLE_TRIG_HEAD
#include "math/extended.glsl"

const Extended EXTENDED_HALF_PI = Extended(uvec2(0x2168c235u, 0xc90fdaa2u), 0, 0u);
// An angle as a number of quarter turns, modulo 4, and the rest, which is at most pi/4 in magnitude.
struct Turn {
  Extended rest;
  uint quarters;
};

// The bits of 2/pi after two words of zeros, from the one at `from`, highest word first. Selects find them:
// devices are slow at looking up what differs from lane to lane.
void turn_bits(uint from, out uvec4 high, out uvec2 low) {
  uvec4 t0 = uvec4(0u, 0u, 0xa2f9836eu, 0x4e441529u);
  uvec4 t1 = uvec4(0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u);
  uvec4 t2 = uvec4(0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u);
  uvec4 t3 = uvec4(0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu);
  uvec4 t4 = uvec4(0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u);
  uvec4 t5 = uvec4(0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu);
  uvec4 t6 = uvec4(0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu);
  uvec4 t7 = uvec4(0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du);
  uvec4 t8 = uvec4(0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau);
  uvec4 t9 = uvec4(0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu);
  // By 32 words, 16, 8, 4, 2 and 1, then by bits.
  bool last = from >= 1024u, sixteen = (from & 512u) != 0u, eight = (from & 256u) != 0u;
  bool four = (from & 128u) != 0u, two = (from & 64u) != 0u, one = (from & 32u) != 0u;
  t0 = sixteen ? t4 : t0;
  t0 = last ? t8 : t0;
  t1 = sixteen ? t5 : t1;
  t1 = last ? t9 : t1;
  t2 = sixteen ? t6 : t2;
  t3 = sixteen ? t7 : t3;
  t4 = sixteen ? t8 : t4;
  t5 = sixteen ? t9 : t5;
  t0 = eight ? t2 : t0;
  t1 = eight ? t3 : t1;
  t2 = eight ? t4 : t2;
  t3 = eight ? t5 : t3;
  t0 = four ? t1 : t0;
  t1 = four ? t2 : t1;
  t2 = four ? t3 : t2;
  t0 = select(two, uvec4(t0.zw, t1.xy), t0);
  t1 = select(two, uvec4(t1.zw, t2.xy), t1);
  t0 = select(one, uvec4(t0.yzw, t1.x), t0);
  t1 = select(one, uvec4(t1.yzw, 0u), t1);
  uint by = from & 31u;
  high = t0 << by | uvec4(t0.yzw, t1.x) >> 1u >> (31u - by);
  low = t1.xy << by | t1.yz >> 1u >> (31u - by);
}

// Of a number from 1/2 on. It is an integer of 53 bits times 4 * 2^n, and only 192 bits of 2/pi, after the
// first n, give neither whole turns nor too little to matter.
Turn turn_far(Extended a) {
  uvec4 high;
  uvec2 low, digits = long_right(a.bits, 11u);
  turn_bits(uint(clamp(a.exponent, -1, 1023) + 10), high, low);
  uvec4 least = long_whole_product(digits, low.yx), middle = long_whole_product(digits, high.wz);
  uvec4 product = wide_add(middle, uvec4(least.zw, 0u, 0u));
  product.zw = long_add(product.zw, long_multiply(digits, high.yx));
  // In quarters: two bits before the point.
  uint quarters = product.w >> 30u;
  uvec4 fraction = product << 2u | uvec4(least.y, product.xyz) >> 30u;
  bool up = fraction.w >> 31u != 0u;
  fraction = select(up, ~fraction, fraction);
  uint zeros = uint(63 - max(long_top(fraction.zw), 0));
  uvec2 bits = wide_left(fraction, zeros).zw;
  Extended rest = extended_normal(bits, -1 - int(zeros), up ? DOUBLE_SIGN : 0u);
  return Turn(extended_multiply(rest, EXTENDED_HALF_PI), quarters + (up ? 1u : 0u));
}

// Of a magnitude, whatever the sign.
Turn turn_of(Extended a) {
  Turn turn = turn_far(a);
  bool near = a.exponent < -1;
  turn.rest = extended_select(near, extended_abs(a), turn.rest);
  turn.quarters = select(near, 0u, turn.quarters);
  return turn;
}

// The sine or the cosine of an angle of at most pi/4 in magnitude.
Extended extended_sine(Extended x, bool cosine) {
  uvec2 size = fixed_of(x), z = fixed_product(size, size);
  uint least = cosine ? 0x000d584fu : 0x0000c921u;
  least = fixed_down(z, least, uvec2(cosine ? 0x0c9c9ea1u : 0x00d73e2au, 0u)).x;
  uvec2 h = fixed_down(z, least, cosine ? uvec2(0xf76c6989u, 0x00000008u) : uvec2(0xb0922fdau, 0x00000000u));
  h = fixed_down(z, h, cosine ? uvec2(0x93edd9fau, 0x0000049fu) : uvec2(0x99159f9du, 0x0000006bu));
  h = fixed_down(z, h, cosine ? uvec2(0x01a0195au, 0x0001a01au) : uvec2(0xc74aad86u, 0x00002e3bu));
  h = fixed_down(z, h, cosine ? uvec2(0x5b05b04eu, 0x005b05b0u) : uvec2(0x0d00d00cu, 0x000d00d0u));
  h = fixed_down(z, h, cosine ? uvec2(0xaaaaaaaau, 0x0aaaaaaau) : uvec2(0x22222222u, 0x02222222u));
  h = fixed_down(z, h, cosine ? uvec2(0x00000000u, 0x80000000u) : uvec2(0xaaaaaaabu, 0x2aaaaaaau));
  // 1 - z h, which is at least 1/2.
  Extended factor = Extended(~fixed_product(z, h), -1, 0u);
  Extended by = extended_select(cosine, EXTENDED_ONE, x);
  return extended_multiply(factor, by);
}

// The sine of an angle and so many quarters.
Extended extended_sine_of(Turn turn, uint more) {
  uint quarters = turn.quarters + more;
  Extended result = extended_sine(turn.rest, (quarters & 1u) != 0u);
  return Extended(result.bits, result.exponent, result.sign ^ (quarters & 2u) << 30u);
}

Extended extended_sin(Extended x) {
  Extended result = extended_sine_of(turn_of(x), 0u);
  return Extended(result.bits, result.exponent, result.sign ^ x.sign);
}

Extended extended_cos(Extended x) { return extended_sine_of(turn_of(x), 1u); }

Extended extended_tan(Extended x) {
  Turn turn = turn_of(x);
  Extended result = extended_divide(extended_sine_of(turn, 0u), extended_sine_of(turn, 1u));
  return Extended(result.bits, result.exponent, result.sign ^ x.sign);
}

uvec2 double_if_finite(Extended result, uvec2 x) {
  return select(double_is_finite(x), double_of(result), DOUBLE_NAN);
}

uvec2 double_sin(uvec2 x) { return double_if_finite(extended_sin(extended_of(x)), x); }

uvec2 double_cos(uvec2 x) { return double_if_finite(extended_cos(extended_of(x)), x); }

uvec2 double_tan(uvec2 x) { return double_if_finite(extended_tan(extended_of(x)), x); }

#endif
