// Complex numbers (PAIR) of float32, or of float64 if DOUBLE is defined, and their discrete Fourier transforms of
// 2, 3, 4, 5, 7, 8, 11, 13 and 16 points. The order of operations is as written here, on every device.
#ifdef DOUBLE
#include "math/double.glsl"
#define REAL uvec2
#define PAIR uvec4
#define RE(a) a.xy
#define IM(a) a.zw
#define REAL_WORDS(words) words
const REAL ZERO = uvec2(0u), HALF_OF = uvec2(0u, 0x3FE00000u);
// As in math/native.glsl, but a NaN is not made the one of math/double.glsl before it is stored.
#define NATIVE_BOTH (NATIVE_ADD | NATIVE_MULTIPLY)
#define NATIVELY_RAW(operation, computed) \
  if ((NATIVE & operation) != 0u) {       \
    precise double result = computed;     \
    return unpackDouble2x32(result);      \
  }
REAL plus(REAL a, REAL b) {
  NATIVELY_RAW(NATIVE_ADD, NUMBER(a) + NUMBER(b))
  return double_add(a, b);
}
REAL times(REAL a, REAL b) {
  NATIVELY_RAW(NATIVE_MULTIPLY, NUMBER(a) * NUMBER(b))
  return double_multiply(a, b);
}
REAL minus(REAL a, REAL b) {
  NATIVELY_RAW(NATIVE_ADD, NUMBER(a) - NUMBER(b))
  return double_add(a, double_negate(b));
}
REAL stored(REAL a) { return double_is_nan(a) ? DOUBLE_NAN : a; }
REAL negated(REAL a) { return double_negate(a); }
#define MOST_RADIX 8
#define MOST_POINTS 16
// Of k / radix turns, for the radices 3, 5 and 7.
const REAL COSINES[6] = {uvec2(0x00000000u, 0xbfe00000u), uvec2(0x372fe950u, 0x3fd3c6efu),
                         uvec2(0x9b97f4a8u, 0xbfe9e377u), uvec2(0xe28bedd1u, 0x3fe3f3a0u),
                         uvec2(0xe3024582u, 0xbfcc7b90u), uvec2(0xa9cb5c71u, 0xbfecd4bcu)};
const REAL SINES[6] = {uvec2(0xe8584caau, 0x3febb67au), uvec2(0x134454ffu, 0x3fee6f0eu),
                       uvec2(0x04755a5eu, 0x3fe2cf23u), uvec2(0x7505de4bu, 0x3fe904c3u),
                       uvec2(0x0558e969u, 0x3fef329cu), uvec2(0x4d71abc1u, 0x3fdbc4c0u)};
const REAL EIGHTH = uvec2(0x667f3bcdu, 0x3fe6a09eu);  // the cosine of 1/8 turn
#else
#define REAL float
#define PAIR vec2
#define RE(a) a.x
#define IM(a) a.y
#define REAL_WORDS(words) uintBitsToFloat(words.x)
const REAL ZERO = 0.0, HALF_OF = 0.5;
REAL plus(REAL a, REAL b) {
  precise REAL sum = a + b;
  return sum;
}
REAL minus(REAL a, REAL b) {
  precise REAL difference = a - b;
  return difference;
}
REAL times(REAL a, REAL b) {
  precise REAL product = a * b;
  return product;
}
REAL negated(REAL a) { return -a; }
REAL stored(REAL a) { return a; }
#define MOST_RADIX 16
#define MOST_POINTS 64
// Of k / radix turns, for the radices 3, 5, 7, 11 and 13.
const REAL COSINES[17] = {
    -0.5,           0.309016994375,  -0.809016994375, 0.623489801859,  -0.222520933956, -0.900968867902,
    0.841253532831, 0.415415013002,  -0.142314838273, -0.654860733945, -0.959492973614, 0.885456025653,
    0.568064746731, 0.120536680255,  -0.354604887043, -0.748510748171, -0.970941817426};
const REAL SINES[17] = {
    0.866025403784, 0.951056516295, 0.587785252292, 0.781831482468, 0.974927912182, 0.433883739118,
    0.540640817456, 0.909631995355, 0.989821441881, 0.755749574354, 0.281732556841, 0.464723172044,
    0.822983865894, 0.992708874098, 0.935016242685, 0.663122658241, 0.239315664288};
const REAL EIGHTH = 0.707106781187;  // the cosine of 1/8 turn
const REAL SIXTEENTH_COSINE = 0.923879532511, SIXTEENTH_SINE = 0.382683432365;
#endif

PAIR pair(REAL re, REAL im) { return PAIR(re, im); }
PAIR conjugated(PAIR a) { return pair(RE(a), negated(IM(a))); }
PAIR pair_negated(PAIR a) { return pair(negated(RE(a)), negated(IM(a))); }
PAIR quarter_back(PAIR a) { return pair(IM(a), negated(RE(a))); }     // times -i
PAIR quarter_onward(PAIR a) { return pair(negated(IM(a)), RE(a)); }  // times i

#ifdef DOUBLE
// Where a device has no such arithmetic, an operation is a hundred of its own, which drivers compile wherever they
// are called. So they are called at few places, in loops, which the other drivers unroll.
PAIR pair_plus(PAIR a, PAIR b) {
  PAIR sums;
  [[unroll]] for (uint c = 0; c < 4; c += 2) {
    REAL sum = plus(REAL(a[c], a[c + 1]), REAL(b[c], b[c + 1]));
    sums[c] = sum.x;
    sums[c + 1] = sum.y;
  }
  return sums;
}

PAIR pair_scaled(PAIR a, REAL by) {
  PAIR products;
  [[unroll]] for (uint c = 0; c < 4; c += 2) {
    REAL product = times(REAL(a[c], a[c + 1]), by);
    products[c] = product.x;
    products[c + 1] = product.y;
  }
  return products;
}

PAIR pair_times(PAIR a, PAIR b) {
  if ((NATIVE & NATIVE_BOTH) == NATIVE_BOTH)
    return pair(minus(times(RE(a), RE(b)), times(IM(a), IM(b))), plus(times(RE(a), IM(b)), times(IM(a), RE(b))));
  PAIR terms[2] = PAIR[](b, quarter_onward(b));
  [[unroll]] for (uint c = 0; c < 2; c++) terms[c] = pair_scaled(terms[c], c == 0 ? RE(a) : IM(a));
  return pair_plus(terms[0], terms[1]);
}

void transform_2(inout PAIR a, inout PAIR b) {
  if ((NATIVE & NATIVE_BOTH) == NATIVE_BOTH) {
    PAIR difference = pair(minus(RE(a), RE(b)), minus(IM(a), IM(b)));
    a = pair(plus(RE(a), RE(b)), plus(IM(a), IM(b)));
    b = difference;
    return;
  }
  PAIR made[2] = PAIR[](b, pair_negated(b));
  [[unroll]] for (uint c = 0; c < 2; c++) made[c] = pair_plus(a, made[c]);
  a = made[0];
  b = made[1];
}

void transform_4(inout PAIR a, inout PAIR b, inout PAIR c, inout PAIR d) {
  PAIR u[4] = PAIR[](a, c, b, d);
  [[unroll]] for (uint stage = 0; stage < 2; stage++) {
    [[unroll]] for (uint k = 0; k < 4; k += 2) transform_2(u[k], u[k + 1]);
    if (stage == 0) {
      PAIR second = u[1];
      u[1] = u[2];
      u[2] = second;
      u[3] = quarter_back(u[3]);
    }
  }
  a = u[0];
  b = u[2];
  c = u[1];
  d = u[3];
}
#else
PAIR pair_plus(PAIR a, PAIR b) { return pair(plus(a.x, b.x), plus(a.y, b.y)); }
PAIR pair_scaled(PAIR a, REAL by) { return pair(times(a.x, by), times(a.y, by)); }
PAIR pair_times(PAIR a, PAIR b) {
  return pair(minus(times(a.x, b.x), times(a.y, b.y)), plus(times(a.x, b.y), times(a.y, b.x)));
}

void transform_2(inout PAIR a, inout PAIR b) {
  PAIR sum = pair_plus(a, b);
  b = pair(minus(a.x, b.x), minus(a.y, b.y));
  a = sum;
}

// The results are in the order of their indexes.
void transform_4(inout PAIR a, inout PAIR b, inout PAIR c, inout PAIR d) {
  transform_2(a, c);
  transform_2(b, d);
  d = quarter_back(d);
  transform_2(a, b);
  transform_2(c, d);
  PAIR second = c;
  c = b;
  b = second;
}
#endif

PAIR pair_minus(PAIR a, PAIR b) { return pair_plus(a, pair_negated(b)); }

PAIR eighth_back(PAIR a) { return pair_scaled(pair(plus(RE(a), IM(a)), minus(IM(a), RE(a))), EIGHTH); }

void transform_8(inout PAIR u[MOST_RADIX]) {
  transform_4(u[0], u[2], u[4], u[6]);
  transform_4(u[1], u[3], u[5], u[7]);
  u[3] = eighth_back(u[3]);
  u[5] = quarter_back(u[5]);
  u[7] = quarter_back(eighth_back(u[7]));
  [[unroll]] for (uint k = 0; k < 8; k += 2) transform_2(u[k], u[k + 1]);
  PAIR made[8] = PAIR[](u[0], u[2], u[4], u[6], u[1], u[3], u[5], u[7]);
  [[unroll]] for (uint k = 0; k < 8; k++) u[k] = made[k];
}

#ifndef DOUBLE
void transform_16(inout PAIR u[MOST_RADIX]) {
  [[unroll]] for (uint k = 0; k < 4; k++) transform_4(u[k], u[k + 4], u[k + 8], u[k + 12]);
  PAIR first = pair(SIXTEENTH_COSINE, -SIXTEENTH_SINE), third = pair(SIXTEENTH_SINE, -SIXTEENTH_COSINE);
  u[5] = pair_times(u[5], first);
  u[6] = eighth_back(u[6]);
  u[7] = pair_times(u[7], third);
  u[9] = eighth_back(u[9]);
  u[10] = quarter_back(u[10]);
  u[11] = quarter_back(eighth_back(u[11]));
  u[13] = pair_times(u[13], third);
  u[14] = quarter_back(eighth_back(u[14]));
  u[15] = pair_times(u[15], -first);
  [[unroll]] for (uint k = 0; k < 16; k += 4) transform_4(u[k], u[k + 1], u[k + 2], u[k + 3]);
  PAIR made[16];
  [[unroll]] for (uint k = 0; k < 16; k++) made[k / 4 + k % 4 * 4] = u[k];
  u = made;
}
#endif

// An odd radix: sums and differences of opposite points, times cosines and sines.
void transform_odd(inout PAIR u[MOST_RADIX], uint radix, uint first_root) {
  PAIR sums[MOST_RADIX / 2 + 1], differences[MOST_RADIX / 2 + 1], first = u[0];
  [[unroll]] for (uint k = 1; k <= radix / 2; k++) {
    sums[k] = u[k];
    differences[k] = u[radix - k];
    transform_2(sums[k], differences[k]);
    u[0] = pair_plus(u[0], sums[k]);
  }
  [[unroll]] for (uint k = 1; k <= radix / 2; k++) {
    PAIR even = first, odd;
    [[unroll]] for (uint j = 1; j <= radix / 2; j++) {
      uint turn = j * k % radix;
      bool beyond = turn > radix / 2;
      uint root = first_root + (beyond ? radix - turn : turn) - 1;
      even = pair_plus(even, pair_scaled(sums[j], COSINES[root]));
      PAIR term = pair_scaled(differences[j], SINES[root]);
      if (beyond) term = pair_negated(term);
      odd = j == 1 ? term : pair_plus(odd, term);
    }
    u[k] = even;
    u[radix - k] = quarter_back(odd);
    transform_2(u[k], u[radix - k]);
  }
}

void transform(inout PAIR u[MOST_RADIX], uint radix) {
  if (radix == 2) transform_2(u[0], u[1]);
  if (radix == 3) transform_odd(u, 3, 0);
  if (radix == 4) transform_4(u[0], u[1], u[2], u[3]);
  if (radix == 5) transform_odd(u, 5, 1);
  if (radix == 7) transform_odd(u, 7, 3);
  if (radix == 8) transform_8(u);
#ifndef DOUBLE
  if (radix == 11) transform_odd(u, 11, 6);
  if (radix == 13) transform_odd(u, 13, 11);
  if (radix == 16) transform_16(u);
#endif
}
