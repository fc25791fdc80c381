#version 450
#extension GL_GOOGLE_include_directive : require
#include "long_values_head.glsl"
#define T uvec2
#define BITS 64
#include "reduce_head.glsl"

uvec2 leaf_value(uvec4 raw, uint index) {
    if (OP == REDUCE_COUNT_NONZERO) return uvec2(cast_truth(raw.xy, A_TYPE), 0);
    return cast_to_long(raw.xy, A_TYPE);
}
uvec2 element_of(uvec2 value) { return value; }

uvec2 identity() {
    uvec2 least = uvec2(0, is_signed_int(TYPE) ? 0x80000000u : 0);
    switch (OP) {
    case REDUCE_PROD: return uvec2(1, 0);
    case REDUCE_MAX: return least;
    case REDUCE_MIN: return ~least;
    }
    return uvec2(0);
}

uvec2 combine(uvec2 left, uvec2 right) {
    bool less = long_less(left, right, is_signed_int(TYPE));
    switch (OP) {
    case REDUCE_SUM: case REDUCE_COUNT_NONZERO: return long_add(left, right);
    case REDUCE_PROD: return long_multiply(left, right);
    case REDUCE_MAX: return less ? right : left;
    case REDUCE_MIN: return less ? left : right;
    }
    return left;
}
