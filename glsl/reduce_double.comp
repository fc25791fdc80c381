#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Sums and products of float64.
#include "types/double_values.glsl"
#include "math/double.glsl"
#define T uvec2
#define BITS 64
#define CHAIN
#define AT_ONCE 2
#include "families/reduce.glsl"

uvec2 leaf_value(uvec4 raw, uint index) { return decode(raw.xy, A_TYPE); }
uvec2 element_of(uvec2 value) { return value; }

// As in reduce_tree.comp.
uvec2 identity() { return OP == REDUCE_SUM ? uvec2(0, DOUBLE_SIGN) : DOUBLE_ONE; }

uvec2 combine(uvec2 left, uvec2 right) {
    switch (OP) {
    case REDUCE_SUM: return double_add(left, right);
    case REDUCE_PROD: return double_multiply(left, right);
    }
    return left;
}
