#version 450
#extension GL_GOOGLE_include_directive : require
// Elements of 16 bits, made of one random word each; MAKE says how.
#include "stream_head.glsl"

uint load(uint i) { return MAKE(block(i / 4)[i % 4]); }
uint load_word(uint at) {
    uvec4 words = block(at / 2);
    uvec2 two = at % 2 == 0 ? words.xy : words.zw;
    return MAKE(two.x) | MAKE(two.y) << 16;
}

#define DST 1
#include "packed_head.glsl"

layout(constant_id = NEXT_SPEC) const bool FROM_BUFFER = false;

void main() {
    read_state(FROM_BUFFER);
    run();
}
