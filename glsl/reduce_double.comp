#version 450
#extension GL_GOOGLE_include_directive : require
#include "double_values_head.glsl"
#include "double_head.glsl"
#define T uvec2
#define BITS 64
#define CHAIN
#include "reduce_head.glsl"

uvec2 leaf_value(uvec4 raw, uint index) { return decode(raw.xy, A_TYPE); }
uvec2 element_of(uvec2 value) { return value; }

uvec2 identity() {
    switch (OP) {
    case REDUCE_PROD: return DOUBLE_ONE;
    case REDUCE_MAX: return uvec2(0, DOUBLE_INFINITY.y | DOUBLE_SIGN);
    case REDUCE_MIN: return DOUBLE_INFINITY;
    }
    return uvec2(0, DOUBLE_SIGN);  // -0, for even +0 would turn it into +0
}

uvec2 combine(uvec2 left, uvec2 right) {
    switch (OP) {
    case REDUCE_SUM: return double_add(left, right);
    case REDUCE_PROD: return double_multiply(left, right);
    case REDUCE_MAX: return double_max(left, right);
    case REDUCE_MIN: return double_min(left, right);
    }
    return left;
}
