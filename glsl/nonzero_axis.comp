#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The indexes along one dim, from flat row-major indexes, which are words. The dim has `size` indexes, and
// `inner` is the product of the sizes of the inner dims.
#define BASES src_base, dst_base
#define FROM push.src_base
#define MAX_RANK 6
#define EXTRA uint inner, size;
#define T uvec2
#define WORDS 2
#include "index/index.glsl"

layout(constant_id = 10) const bool INSIDE = true;   // there are inner dims
layout(constant_id = 11) const bool OUTSIDE = true;  // there are outer dims

layout(binding = 0) readonly buffer Src { uint src[]; };

uint inner_reciprocal, size_reciprocal;

uvec2 load(uint at) {
    uint index = src[at], rest;
    if (INSIDE) index = divide(index, push.inner, inner_reciprocal, rest);
    if (OUTSIDE) divide(index, push.size, size_reciprocal, index);
    return uvec2(index, 0);
}
uvec4 load_quad(uint at) { return uvec4(load(at), load(at + 1)); }

#define DST 1
#include "index/load_words.glsl"

void main() {
    inner_reciprocal = 0xffffffffu / push.inner;
    size_reciprocal = 0xffffffffu / push.size;
    run();
}
