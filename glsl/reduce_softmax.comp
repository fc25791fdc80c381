#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The largest element of a row and a sum of exponentials, or what is made of them.
#include "types/float_values.glsl"
#undef VALUE
#define VALUE vec2
#define TREE
#define CHUNKED
#if BITS == 128
#define T uvec4
#else
#define T uvec2
#endif
#define AT_ONCE 1
#include "families/reduce.glsl"
#include "math/exp_sum.glsl"

vec2 leaf_value(uvec4 raw, uint index) { return uintBitsToFloat(raw.xy); }

#if BITS == 128
uvec4 element_of(vec2 value) { return uvec4(floatBitsToUint(value), 0, 0); }
#else
uvec2 element_of(vec2 value) { return floatBitsToUint(pair_of_row(value)); }
#endif
