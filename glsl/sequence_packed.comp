#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// start + i * delta, where i is the index of an element. ELEMENT computes its bits from i, start and delta.
#define BASES dst_base
#define FROM push.index_base
#define MAX_RANK 6
#define EXTRA uint index_base, start[2], delta[2];
#include "index/index.glsl"
#include "math/sequence.glsl"

uint load(uint i) {
    uvec2 start = uvec2(push.start[0], push.start[1]), delta = uvec2(push.delta[0], push.delta[1]);
    return ELEMENT.x & (1u << BITS) - 1;
}
uvec4 load_quad(uint at) {
    uvec4 quad = uvec4(0);
    for (uint k = 0; k < 128 / BITS; k++) quad[k / (32 / BITS)] |= load(at + k) << k % (32 / BITS) * BITS;
    return quad;
}

#define DST 0
#include "index/load_packed.glsl"

void main() { run(); }
