// Conversion of elements from any type to any other. Elements are given by their bits: the lower word
// first, and zeros above their width. Types are specialization constants. Floats become integers by
// rounding towards zero and clamping, NaN becomes 0; integers keep their low bits; results that are floats
// are rounded once, to nearest, ties to even.
#ifndef CAST_HEAD
#define CAST_HEAD
#include "math/divide.glsl"
#include "types/half.glsl"
#include "math/long.glsl"
#include "types/types.glsl"

uint cast_cut(uint bits, uint width) { return bits << (32u - width) >> (32u - width); }

// An integer of at most 32 bits, or a bool, as 32 bits.
uint cast_widen(uint raw, uint from) {
    if (from == BOOL) return uint(raw != 0u);
    uint by = 32u - bits_of(from);
    return is_signed_int(from) ? uint(int(raw << by) >> by) : raw;
}

// Any integer or bool as 64 bits.
uvec2 cast_to_long(uvec2 raw, uint from) {
    if (from >= INT64) return raw;
    uint low = cast_widen(raw.x, from);
    return uvec2(low, is_signed_int(from) ? uint(int(low) >> 31) : 0u);
}

// The float32 nearest to an integer. Its halves convert exactly, so that only their sum is rounded.
float cast_int_to_float(uint bits, bool is_signed) {
    int high = is_signed ? int(bits) >> 16 : int(bits >> 16);
    precise float sum = float(high) * 65536.0 + float(int(bits & 0xffffu));
    return sum;
}

// From any type of at most 32 bits.
float cast_to_float(uint raw, uint from) {
    if (from == FLOAT32) return uintBitsToFloat(raw);
    if (from == FLOAT16) return half_to_float(raw);
    uint bits = cast_widen(raw, from);
    return from < INT32 ? float(int(bits)) : cast_int_to_float(bits, from == INT32);
}

// Towards zero, clamped to the type's range; NaN becomes 0.
uint cast_float_to_int(float x, uint to) {
    uint bits = floatBitsToUint(x), magnitude = bits & ~FLOAT_SIGN, width = bits_of(to);
    bool negative = bits != magnitude, within = magnitude < 0x4f000000u;  // 2^31
    // Values out of int's range are not converted, since the result would be undefined.
    uint whole = uint(int(within ? x : 0.0));
    if (to == UINT32) {
        whole = within ? whole : (bits & FLOAT_FRACTION | FLOAT_LEADING) << 8;
        whole = magnitude < 0x4f800000u ? whole : 0xffffffffu;
        whole = negative ? 0u : whole;
    } else {
        whole = within ? whole : 0x7fffffffu + uint(negative);
        int most = int(0x7fffffffu >> (32u - width)), least = -most - 1;
        if (!is_signed_int(to)) { most = 2 * most + 1; least = 0; }
        whole = uint(min(max(int(whole), least), most));
    }
    return magnitude > FLOAT_INFINITY ? 0u : cast_cut(whole, width);
}

// As float64. NaN becomes the quiet NaN of its sign.
uvec2 cast_to_double(float x) {
    uint bits = floatBitsToUint(x), magnitude = bits & ~FLOAT_SIGN;
    uint normal = float_normalised(magnitude);
    // float64's exponents have a bias larger by 896, and its high word has three bits less of the fraction.
    uint high = uint(int(normal) >> 3) + (896u << 20), low = normal << 29;
    bool special = magnitude >= FLOAT_INFINITY, empty = magnitude == 0u || special;
    high = special ? magnitude > FLOAT_INFINITY ? 0x7ff80000u : 0x7ff00000u : high;
    high = magnitude == 0u ? 0u : high;
    return uvec2(empty ? 0u : low, high | bits & FLOAT_SIGN);
}

// To any type of at most 32 bits.
uint cast_from_float(float x, uint to) {
    if (to == FLOAT32) return floatBitsToUint(x);
    if (to == FLOAT16) return float_to_half(x);
    if (to == BOOL) return uint((floatBitsToUint(x) & ~FLOAT_SIGN) != 0u);
    return cast_float_to_int(x, to);
}

// (-1)^negative * magnitude * 2^exponent, or NaN.
struct Number {
    bool negative, nan;
    uvec2 magnitude;
    int exponent;
};

const int CAST_INFINITE = 4096;  // the exponent of an infinity: above all others

Number cast_read(uvec2 raw, uint from) {
    if (from < FLOAT16) {
        bool is_signed = is_signed_int(from);
        raw = cast_to_long(raw, from);
        return Number(long_is_negative(raw, is_signed), false, long_magnitude(raw, is_signed), 0);
    }
    if (from != FLOAT64) {
        uint bits = floatBitsToUint(cast_to_float(raw.x, from)), size = bits & ~FLOAT_SIGN;
        uint normal = float_normalised(size);
        uint significand = size == 0u ? 0u : normal & FLOAT_FRACTION | FLOAT_LEADING;
        int exponent = size == FLOAT_INFINITY ? CAST_INFINITE : float_exponent(normal) - 150;
        return Number(bits != size, size > FLOAT_INFINITY, uvec2(significand, 0u), exponent);
    }
    uint size = raw.y & ~FLOAT_SIGN, high = raw.y & 0xfffffu;
    bool special = size >= 0x7ff00000u, nan = special && (high | raw.x) != 0u;
    int exponent = special ? CAST_INFINITE : max(int(size >> 20), 1) - 1075;
    high |= size < 0x100000u ? 0u : 0x100000u;
    return Number(size != raw.y, nan, uvec2(raw.x, high), exponent);
}

uvec2 cast_to_int(Number n, uint to) {
    bool is_signed = is_signed_int(to);
    uint width = bits_of(to);
    int top = long_top(n.magnitude) + n.exponent;
    uvec2 whole = n.exponent < 0 ? long_right(n.magnitude, uint(min(-n.exponent, 63)))
                                 : long_left(n.magnitude, uint(min(n.exponent, 63)));
    whole = top < 0 || n.nan || long_is_zero(n.magnitude) ? uvec2(0u) : whole;
    // The largest magnitude.
    uvec2 most = long_right(uvec2(0xffffffffu), 64u - width + uint(is_signed));
    if (is_signed && n.negative) most = long_add(most, uvec2(1u, 0u));
    bool over = !n.nan && !long_is_zero(n.magnitude) && (top > 63 || long_less(most, whole, false));
    whole = over ? most : whole;
    if (!is_signed && n.negative) whole = uvec2(0u);
    whole = long_negate_if(n.negative, whole);
    return width == 64u ? whole : uvec2(cast_cut(whole.x, width), 0u);
}

// To nearest, ties to even.
uvec2 cast_round(Number n, uint to) {
    bool is_half = to == FLOAT16, is_double = to == FLOAT64;
    int digits = is_half ? 10 : is_double ? 52 : 23;
    int largest = is_half ? 31 : is_double ? 2047 : 255;
    int top = long_top(n.magnitude), exponent = n.exponent + top + largest / 2;
    // The leading bit becomes bit 61; the lowest bit is sticky: it is set if any bit below it was.
    uvec2 all = long_left(n.magnitude, uint(63 - max(top, 0))), some = long_right(all, 2u);
    some.x |= uint((all.x & 3u) != 0u);
    uint drop = uint(min(61 - digits + max(1 - exponent, 0), 63));
    uvec2 kept = long_right(some, drop), rest = long_left(some, 64u - drop);
    bool over_half = rest.y > FLOAT_SIGN || rest.y == FLOAT_SIGN && rest.x != 0u;
    bool up = over_half || rest == uvec2(0u, FLOAT_SIGN) && (kept.x & 1u) != 0u;
    kept = long_add(kept, uvec2(uint(up), 0u));
    uint above = uint(max(exponent, 1) - 1);
    uint by = uint(digits) & 31u;  // the exponent's place in its word
    uvec2 bits = kept + (is_double ? uvec2(0u, above << by) : uvec2(above << by, 0u));
    uint infinity = uint(largest) << by;
    if (exponent >= largest) bits = is_double ? uvec2(0u, infinity) : uvec2(infinity, 0u);
    if (long_is_zero(n.magnitude)) bits = uvec2(0u);
    uint quiet = infinity | 1u << (by - 1u);
    if (n.nan) bits = is_double ? uvec2(0u, quiet) : uvec2(quiet, 0u);
    uint sign = n.negative ? is_half ? 0x8000u : FLOAT_SIGN : 0u;
    return is_double ? uvec2(bits.x, bits.y | sign) : uvec2(bits.x | sign, 0u);
}

// Whether an element of any type is not 0.
bool cast_truth(uvec2 raw, uint from) {
    if (from == FLOAT16) raw.x &= 0x7fffu;
    if (from == FLOAT32) raw.x &= ~FLOAT_SIGN;
    if (from == FLOAT64) raw.y &= ~FLOAT_SIGN;
    return (raw.x | raw.y) != 0u;
}
#endif
