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

T load(uint i) {
    uvec2 start = uvec2(push.start[0], push.start[1]), delta = uvec2(push.delta[0], push.delta[1]);
    return T(ELEMENT);
}
uvec4 load_quad(uint i) {
#if WORDS == 2
    return uvec4(load(i), load(i + 1));
#else
    return uvec4(load(i), load(i + 1), load(i + 2), load(i + 3));
#endif
}

#define DST 0
#include "index/load_words.glsl"

void main() { run(); }
