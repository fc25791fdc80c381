#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Elements of 16 bits from one random word each, by MAKE.
#include "families/stream.glsl"

uint load(uint i) { return MAKE(block(i / 4)[i % 4]); }
uvec2 load_four(uint i) {
    uvec4 words = block(i / 4);
    return uvec2(MAKE(words.x) | MAKE(words.y) << 16, MAKE(words.z) | MAKE(words.w) << 16);
}
uvec4 load_quad(uint i) { return uvec4(load_four(i), load_four(i + 4)); }

#define DST 1
#include "index/load_packed.glsl"

layout(constant_id = NEXT_SPEC) const bool FROM_BUFFER = false;

void main() {
    read_state(FROM_BUFFER);
    run();
}
