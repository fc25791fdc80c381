#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Reductions of integers of up to 32 bits; `any` and `all` of every type; the maximum and minimum of floats,
// by keys: signed integers in the order of the numbers, where NaN's is the extreme.
#include "types/int_values.glsl"
#define T uint
#define BITS 32
#define QUADS 4
#define AT_ONCE 4
#include "families/reduce.glsl"

uint nan_key() { return OP == REDUCE_MAX ? 0x7fffffffu : 0x80000000u; }

// From bits to key, and also from key to bits.
uint turned(uint bits) { return bits ^ uint(int(bits) >> 31) >> 1; }

uint leaf_value(uvec4 raw, uint index) {
    if (OP == REDUCE_ANY || OP == REDUCE_ALL) return uint(cast_truth(raw.xy, A_TYPE));
    if (A_TYPE == FLOAT32 || A_TYPE == FLOAT16) {
        uint bits = A_TYPE == FLOAT16 ? raw.x << 16 : raw.x;
        bool number = (bits & 0x7fffffffu) <= (A_TYPE == FLOAT16 ? 0x7c000000u : 0x7f800000u);
        return number ? turned(bits) : nan_key();
    }
    return A_TYPE < INT64 ? cast_widen(raw.x, A_TYPE) : raw.x;
}

uint element_of(uint value) {
    if (TYPE == FLOAT32) return value == nan_key() ? FLOAT_NAN : turned(value);
    if (TYPE == FLOAT16) return value == nan_key() ? 0x7e00u : turned(value) >> 16;
    return encode(value, TYPE).x;
}

bool is_signed() { return is_signed_int(TYPE) || TYPE >= FLOAT16; }

uint identity() {
    uint least = is_signed() ? 0x80000000u : 0;
    switch (OP) {
    case REDUCE_PROD: case REDUCE_ALL: return 1;
    case REDUCE_MAX: return least;
    case REDUCE_MIN: return ~least;
    }
    return 0;
}

uint combine(uint left, uint right) {
    switch (OP) {
    case REDUCE_SUM: return left + right;
    case REDUCE_PROD: return left * right;
    case REDUCE_MAX: return is_signed() ? uint(max(int(left), int(right))) : max(left, right);
    case REDUCE_MIN: return is_signed() ? uint(min(int(left), int(right))) : min(left, right);
    case REDUCE_ANY: return left | right;
    case REDUCE_ALL: return left & right;
    }
    return left;
}
