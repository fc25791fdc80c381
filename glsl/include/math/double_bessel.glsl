// Modified Bessel functions times e^-|x|, by integers: as polynomials below 1 and below 8, and beyond, times
// sqrt(x), as polynomials of 1 / x.
#ifndef DOUBLE_BESSEL_HEAD
#define DOUBLE_BESSEL_HEAD
#include "math/double_exp.glsl"

const Extended BESSEL_SEVEN = Extended(uvec2(0u, 0xE0000000u), 2, 0u);
const Extended BESSEL_NINE = Extended(uvec2(0u, 0x90000000u), 3, 0u);
const Extended BESSEL_FAR = Extended(uvec2(0u, DOUBLE_SIGN), 5, 0u);  // 32

// Which polynomial, and its argument from -1 to 1: 2 x - 1, (2 x - 9) / 7 or 16 / x - 1.
struct Bessel {
  bool near;
  bool far;
  bool below;
  uvec2 t;
};

// Of a number that is not negative.
Bessel bessel_of(Extended x) {
  bool near = x.exponent < 0, far = x.exponent >= 3;
  Extended y = extended_scale(x, 1), middle = extended_select(near, EXTENDED_ONE, BESSEL_NINE);
  Extended away = extended_subtract(extended_select(far, BESSEL_FAR, y), extended_select(far, y, middle));
  Extended width = extended_select(near, EXTENDED_ONE, BESSEL_SEVEN);
  Extended t = extended_divide(away, extended_select(far, y, width));
  return Bessel(near, far, t.sign != 0u, fixed_of(t));
}

// A step of the polynomials. The product is rounded: as its errors have no common sign, they hardly add up.
uvec2 bessel_step(Bessel p, uvec2 h, uvec2 near, uvec2 middle, uvec2 far) {
  uvec2 c = select(p.far, far, select(p.near, near, middle));
  bool below = long_is_negative(h, true);
  uvec4 product = long_whole_product(p.t, long_negate_if(below, h));
  uvec2 rounded = long_add(product.zw, uvec2(product.y >> 31u, 0u));
  return long_add(c, long_negate_if(p.below != below, rounded));
}

// Coefficients are those of the Chebyshev series in t, cut where the rest is below 2^-66, as sums of powers of
// t: computed by mpmath with 60 digits, and rounded to multiples of 2^-64.

// i0e(x) / 2 below 1, i0e(x) below 8, i0e(x) sqrt(x) beyond.
uvec2 bessel_even(Bessel p) {
  uvec2 h = select(p.far, uvec2(0xed16636du, 0xffffffffu), uvec2(0u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0u), uvec2(0x11094722u, 0x00000000u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0xf6f03ec0u, 0xffffffffu), uvec2(0xa597ef5cu, 0x00000000u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x26f40c6fu, 0x00000000u), uvec2(0x639f3f78u, 0xffffffffu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x9fb14ae3u, 0xffffffffu), uvec2(0x62bac4e1u, 0xfffffffdu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x7a782312u, 0x00000001u), uvec2(0xa382bc8cu, 0x00000002u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x919d1ccbu, 0xfffffff9u), uvec2(0x7e40cf0eu, 0x00000006u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0xb6970284u, 0x00000017u), uvec2(0xcc288d28u, 0xfffffff8u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x7cf0e46cu, 0xffffffadu), uvec2(0xd4f38c34u, 0xfffffff4u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x811accd8u, 0x00000118u), uvec2(0x298fc6d3u, 0x0000000eu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0xb2df2368u, 0xfffffc6bu), uvec2(0x5abf7b81u, 0x0000000eu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x80273050u, 0x00000b2bu), uvec2(0x1c5ecb5au, 0xffffffeau));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x431a265fu, 0xffffdeb4u), uvec2(0xfd705e64u, 0xfffffff0u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x157478b0u, 0x00005ea6u), uvec2(0xa33df731u, 0x0000001cu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0xe001cbb0u, 0xffff0001u), uvec2(0x1b6cb00du, 0x0000000fu));
  h = bessel_step(p, h, uvec2(0x00005ca6u, 0x00000000u), uvec2(0x604bedd0u, 0x0002913cu), uvec2(0x4ec94538u, 0xffffffdeu));
  h = bessel_step(p, h, uvec2(0xfffa0195u, 0xffffffffu), uvec2(0xff29bcb7u, 0xfff9c21eu), uvec2(0x9a46d6e9u, 0xffffffecu));
  h = bessel_step(p, h, uvec2(0x005bd982u, 0x00000000u), uvec2(0xdeed8f83u, 0x000e5548u), uvec2(0x87ace0b9u, 0x00000023u));
  h = bessel_step(p, h, uvec2(0xfac71e3cu, 0xffffffffu), uvec2(0xc08a3931u, 0xffe0fe9eu), uvec2(0x0917c386u, 0x00000022u));
  h = bessel_step(p, h, uvec2(0x46d1c441u, 0x00000000u), uvec2(0x50118d14u, 0x003f032du), uvec2(0xa7ca1875u, 0xffffffe7u));
  h = bessel_step(p, h, uvec2(0x862aed12u, 0xfffffffcu), uvec2(0xc4a8a19cu, 0xff87fef1u), uvec2(0xfe350152u, 0xffffffc5u));
  h = bessel_step(p, h, uvec2(0x3827e806u, 0x00000028u), uvec2(0x5849d37eu, 0x00d5b2aeu), uvec2(0x42b3c020u, 0xffffffe3u));
  h = bessel_step(p, h, uvec2(0x8cab0b55u, 0xfffffe56u), uvec2(0xd011c189u, 0xfe9ca70fu), uvec2(0x854bb352u, 0x00000020u));
  h = bessel_step(p, h, uvec2(0xeb0ae89cu, 0x00000feeu), uvec2(0x19fb42b8u, 0x0227e7cau), uvec2(0x841ac2b5u, 0x0000005cu));
  h = bessel_step(p, h, uvec2(0xb5fac4ffu, 0xffff76feu), uvec2(0xd6cc2ea2u, 0xfcdcdfb7u), uvec2(0xe51ba1ccu, 0x000000a8u));
  h = bessel_step(p, h, uvec2(0x6d58bfa7u, 0x00041314u), uvec2(0x25e4dd78u, 0x044f94b8u), uvec2(0x0fcdfb8bu, 0x0000017du));
  h = bessel_step(p, h, uvec2(0x380db095u, 0xffe4f8e2u), uvec2(0x0fbf29abu, 0xfa52a9bau), uvec2(0x26c2198du, 0x000004fdu));
  h = bessel_step(p, h, uvec2(0xb1551940u, 0x00990593u), uvec2(0x0c0fe890u, 0x0756506fu), uvec2(0x139f02cbu, 0x000018e5u));
  h = bessel_step(p, h, uvec2(0xeef0162fu, 0xfd3008cbu), uvec2(0x67693b8eu, 0xf662be03u), uvec2(0xf737bcb0u, 0x0000baf2u));
  h = bessel_step(p, h, uvec2(0x651a4f3du, 0x0aa1549bu), uvec2(0x5c318ec8u, 0x0d4f2cfau), uvec2(0x95af3967u, 0x0008ed53u));
  h = bessel_step(p, h, uvec2(0xafd66a0du, 0xe0ba8a62u), uvec2(0xd1c4c155u, 0xeb2d6d3bu), uvec2(0xddc9dea4u, 0x00dc3cb4u));
  h = bessel_step(p, h, uvec2(0xac3d1adbu, 0x52908407u), uvec2(0x5a7a6969u, 0x31b6fa73u), uvec2(0x4926922au, 0x66f50a2bu));
  return h;
}

// i1e(x) / x below 1, i1e(x) below 8, i1e(x) sqrt(x) beyond.
uvec2 bessel_odd(Bessel p) {
  uvec2 h = select(p.far, uvec2(0x130a83f1u, 0x00000000u), uvec2(0u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0u), uvec2(0xedff40f4u, 0xffffffffu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x08a7a627u, 0x00000000u), uvec2(0x598f224fu, 0xffffffffu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0xdadf89edu, 0xffffffffu), uvec2(0xa4ef2d2au, 0x00000000u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x5b4dda8bu, 0x00000000u), uvec2(0x9f211d55u, 0x00000002u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x9a448b33u, 0xfffffffeu), uvec2(0x3915dedcu, 0xfffffffdu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x11c0fb61u, 0x00000006u), uvec2(0x82cb6991u, 0xfffffff9u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0xb266867bu, 0xffffffe9u), uvec2(0x8fc45aacu, 0x00000007u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x481d0874u, 0x0000004du), uvec2(0x1a624219u, 0x0000000bu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x6c530218u, 0xfffffefau), uvec2(0x2b461e19u, 0xfffffff1u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x49d3c1dbu, 0x00000352u), uvec2(0xd8aa18a3u, 0xfffffff1u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x87ed268fu, 0xfffff5b1u), uvec2(0xdf92da6eu, 0x00000016u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x649b63f5u, 0x00001e85u), uvec2(0x9edb15b0u, 0x0000000eu));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x7df8da67u, 0xffffa9e6u), uvec2(0x1801629bu, 0xffffffe2u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0x70afdfb9u, 0x0000e6c7u), uvec2(0x6fa7e8eau, 0xfffffff1u));
  h = bessel_step(p, h, uvec2(0u), uvec2(0xb2b56317u, 0xfffdb5d7u), uvec2(0x4c603b80u, 0x00000023u));
  h = bessel_step(p, h, uvec2(0xfffe8fb2u, 0xffffffffu), uvec2(0xfef66f6eu, 0x00057e9fu), uvec2(0xeec1535cu, 0x00000012u));
  h = bessel_step(p, h, uvec2(0x0017cec3u, 0x00000000u), uvec2(0x74b71054u, 0xfff3953bu), uvec2(0x580c647au, 0xffffffdau));
  h = bessel_step(p, h, uvec2(0xfe932d2bu, 0xffffffffu), uvec2(0x7342f1dbu, 0x001a53c2u), uvec2(0xa1b99c24u, 0xffffffddu));
  h = bessel_step(p, h, uvec2(0x14b86487u, 0x00000000u), uvec2(0xf4b9c69cu, 0xffcbd97au), uvec2(0xd72a67bfu, 0x0000001au));
  h = bessel_step(p, h, uvec2(0xe762799du, 0xfffffffeu), uvec2(0x398ae5eau, 0x006009d6u), uvec2(0xad58223au, 0x0000003cu));
  h = bessel_step(p, h, uvec2(0xbff2e757u, 0x0000000du), uvec2(0xc2b5e95du, 0xff5c8acau), uvec2(0xac21785bu, 0x0000001cu));
  h = bessel_step(p, h, uvec2(0x3f7b3255u, 0xffffff61u), uvec2(0x602b1b7du, 0x00ff37ddu), uvec2(0xbb866462u, 0xffffffdbu));
  h = bessel_step(p, h, uvec2(0x7fa9700eu, 0x0000068au), uvec2(0x9eb088e1u, 0xfe9627a9u), uvec2(0xa50c4decu, 0xffffff9bu));
  h = bessel_step(p, h, uvec2(0xbc97c011u, 0xffffc188u), uvec2(0xa455cb5bu, 0x01ca5f3cu), uvec2(0xc4fd0865u, 0xffffff46u));
  h = bessel_step(p, h, uvec2(0xde0d7eeau, 0x0002162cu), uvec2(0xd37dfbe0u, 0xfe095427u), uvec2(0x71ecc9d3u, 0xfffffe52u));
  h = bessel_step(p, h, uvec2(0xa631e935u, 0xfff03ddcu), uvec2(0x50b6e3dbu, 0x01b6841au), uvec2(0xb1e0f57du, 0xfffffa27u));
  h = bessel_step(p, h, uvec2(0xbaa8c7e4u, 0x00673980u), uvec2(0x4720f86bu, 0xff3a1e54u), uvec2(0x1f017e30u, 0xffffe137u));
  h = bessel_step(p, h, uvec2(0xcccf0dedu, 0xfdc3c026u), uvec2(0x99c484cbu, 0xfec56314u), uvec2(0xee7df546u, 0xffff03b1u));
  h = bessel_step(p, h, uvec2(0x199472e0u, 0x0a1d157fu), uvec2(0x228bc1eeu, 0x051186b4u), uvec2(0x90709198u, 0xfff1a1d5u));
  h = bessel_step(p, h, uvec2(0xe156e02cu, 0xdce9100cu), uvec2(0x2b05a546u, 0xf2c8625du), uvec2(0xce23381eu, 0xfd810d3cu));
  h = bessel_step(p, h, uvec2(0x2fa7bbd0u, 0x50166334u), uvec2(0xbafbc538u, 0x2bc3f516u), uvec2(0xa100bfaeu, 0x63af9e0eu));
  return h;
}

// The polynomial's value over sqrt(x) beyond 8, and as it is below.
Extended bessel_rooted(Bessel p, Extended x, Extended value) {
  return extended_divide(value, extended_select(p.far, extended_sqrt(x), EXTENDED_ONE));
}

uvec2 double_i0e(uvec2 x) {
  if (double_is_infinite(x)) return uvec2(0u);
  Extended a = extended_abs(extended_of(x));
  Bessel p = bessel_of(a);
  Extended value = extended_normal(bessel_even(p), p.near ? 0 : -1, 0u);
  return double_unless_nan(bessel_rooted(p, a, value), x);
}

uvec2 double_i1e(uvec2 x) {
  if (double_is_infinite(x)) return double_copysign(uvec2(0u), x);
  Extended value = extended_of(x), a = extended_abs(value);
  Bessel p = bessel_of(a);
  Extended factor = extended_select(p.near, a, EXTENDED_ONE);
  Extended size = extended_multiply(bessel_rooted(p, a, extended_fraction(bessel_odd(p))), factor);
  return double_unless_nan(Extended(size.bits, size.exponent, value.sign), x);
}

#endif
