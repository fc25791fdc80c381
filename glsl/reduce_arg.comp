#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The index of the first largest or smallest element. If there are NaNs, that of the first NaN.
#include "types/cast.glsl"

struct Place {
    uvec2 key;  // unsigned, in the order of the elements, or in reverse for the smallest
    uint index;
};
#define VALUE Place
#if BITS == 128
#define T uvec4
#else
#define T uvec2
#endif
#define QUADS 1
#define AT_ONCE 2
#include "families/reduce.glsl"

// The key of an element; all ones for NaN.
uvec2 key_of(uvec2 raw) {
    uvec2 key = raw;
    if (A_TYPE < FLOAT16) {
        key = cast_to_long(raw, A_TYPE);
        if (is_signed_int(A_TYPE)) key.y ^= 0x80000000u;
        return OP == REDUCE_ARGMIN ? ~key : key;
    }
    // All floats are treated like float64, smaller ones as its upper word.
    if (A_TYPE == FLOAT16) key = uvec2(0, raw.x << 16);
    if (A_TYPE == FLOAT32) key = uvec2(0, raw.x);
    uvec2 magnitude = uvec2(key.x, key.y & 0x7fffffffu);
    uint infinity = A_TYPE == FLOAT16 ? 0x7c000000u : A_TYPE == FLOAT32 ? 0x7f800000u : 0x7ff00000u;
    bool number = magnitude.y < infinity || magnitude.y == infinity && magnitude.x == 0;
    bool negative = magnitude.y != key.y && !long_is_zero(magnitude);
    key = negative ? ~key : uvec2(magnitude.x, magnitude.y | 0x80000000u);
    if (OP == REDUCE_ARGMIN) key = ~key;
    return number ? key : uvec2(0xffffffffu);
}

Place leaf_value(uvec4 raw, uint index) {
    if (A_TYPE == PARTIAL) return Place(raw.xy, raw.z);
    return Place(key_of(raw.xy), index);
}

Place identity() { return Place(uvec2(0), 0xffffffffu); }

Place combine(Place left, Place right) {
    bool same = long_equal(left.key, right.key);
    bool other = same ? right.index < left.index : long_less(left.key, right.key, false);
    Place result = left;
    if (other) result = right;
    return result;
}

#if BITS == 128
uvec4 element_of(Place value) { return uvec4(value.key, value.index, 0); }
#else
uvec2 element_of(Place value) { return uvec2(value.index, 0); }
#endif
