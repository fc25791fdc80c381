#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Products of complex64.
#include "math/complex.glsl"
#define VALUE vec3  // a number, and 1 if it is there: none is neutral, since infinity times 1 has a NaN
#define T uvec2
#define BITS 64
#define CHAIN
#define AT_ONCE 2
#include "families/reduce.glsl"

vec3 leaf_value(uvec4 raw, uint index) { return vec3(uintBitsToFloat(raw.xy), 1.0); }
uvec2 element_of(vec3 value) { return floatBitsToUint(value.xy); }

vec3 identity() { return vec3(0.0); }

vec3 combine(vec3 left, vec3 right) {
    vec2 product = complex_multiply(left.xy, right.xy);
    return vec3(right.z == 0.0 ? left.xy : product, left.z);
}
