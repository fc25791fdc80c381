#version 450
#extension GL_GOOGLE_include_directive : require
// Integers of up to 32 bits, and the truth of any type.
#include "int_values_head.glsl"
#include "int_head.glsl"
#define T uint
#define BITS 32
#include "reduce_head.glsl"

uint leaf_value(uvec4 raw, uint index) {
    if (OP == REDUCE_ANY || OP == REDUCE_ALL) return uint(cast_truth(raw.xy, A_TYPE));
    return A_TYPE < INT64 ? cast_widen(raw.x, A_TYPE) : raw.x;
}
uint element_of(uint value) { return encode(value, TYPE).x; }

uint identity() {
    uint least = is_signed_int(TYPE) ? 0x80000000u : 0;
    switch (OP) {
    case REDUCE_PROD: case REDUCE_ALL: return 1;
    case REDUCE_MAX: return least;
    case REDUCE_MIN: return ~least;
    }
    return 0;
}

uint combine(uint left, uint right) {
    bool less = int_less(left, right, is_signed_int(TYPE));
    switch (OP) {
    case REDUCE_SUM: return left + right;
    case REDUCE_PROD: return left * right;
    case REDUCE_MAX: return less ? right : left;
    case REDUCE_MIN: return less ? left : right;
    case REDUCE_ANY: return left | right;
    case REDUCE_ALL: return left & right;
    }
    return left;
}
