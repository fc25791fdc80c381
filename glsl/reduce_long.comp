#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Reductions of 64-bit integers, counts, and the maximum and minimum of float64 by keys as in reduce_int.comp.
#include "types/long_values.glsl"
#include "math/double.glsl"
#define T uvec2
#define BITS 64
#define QUADS 4
#define AT_ONCE 4
#include "families/reduce.glsl"

uvec2 nan_key() { return uvec2(0xffffffffu, 0x7fffffffu) ^ (OP == REDUCE_MAX ? 0 : 0xffffffffu); }

uvec2 leaf_value(uvec4 raw, uint index) {
    if (OP == REDUCE_COUNT_NONZERO) return uvec2(cast_truth(raw.xy, A_TYPE), 0);
    if (A_TYPE == FLOAT64) return double_is_nan(raw.xy) ? nan_key() : double_rank(raw.xy);
    return cast_to_long(raw.xy, A_TYPE);
}

uvec2 element_of(uvec2 value) {
    if (TYPE != FLOAT64) return value;
    return long_equal(value, nan_key()) ? DOUBLE_NAN : double_rank(value);
}

bool is_signed() { return is_signed_int(TYPE) || TYPE == FLOAT64; }

uvec2 identity() {
    uvec2 least = uvec2(0, is_signed() ? 0x80000000u : 0);
    switch (OP) {
    case REDUCE_PROD: return uvec2(1, 0);
    case REDUCE_MAX: return least;
    case REDUCE_MIN: return ~least;
    }
    return uvec2(0);
}

uvec2 combine(uvec2 left, uvec2 right) {
    bool less = long_less(left, right, is_signed());
    switch (OP) {
    case REDUCE_SUM: case REDUCE_COUNT_NONZERO: return long_add(left, right);
    case REDUCE_PROD: return long_multiply(left, right);
    case REDUCE_MAX: return less ? right : left;
    case REDUCE_MIN: return less ? left : right;
    }
    return left;
}
