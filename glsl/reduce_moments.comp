#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The mean of a row and the sum of squared deviations from it, or what is made of them.
#include "types/float_values.glsl"
#undef VALUE
#define VALUE vec3
#define TREE
#define CHUNKED
#if BITS == 128
#define T uvec4
#else
#define T uvec2
#endif
#define COMBINE_SAME
#define AT_ONCE 1
#include "families/reduce.glsl"

layout(constant_id = 13) const uint EPS = 0;
#include "math/moments.glsl"

vec3 leaf_value(uvec4 raw, uint index) { return uintBitsToFloat(raw.xyz); }

#if BITS == 128
uvec4 element_of(vec3 value) {
    if (TYPE == PARTIAL) return uvec4(floatBitsToUint(value), 0);
    // "statistics": the mean, the variance, and the pair that elements need.
    vec2 moments = moments_of(value);
    return floatBitsToUint(vec4(moments, scaled_of(moments)));
}
#else
uvec2 element_of(vec3 value) { return floatBitsToUint(pair_of_row(value)); }
#endif
