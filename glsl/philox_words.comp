#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Elements from one or two random words each, by MAKE.
#include "families/stream.glsl"

#if WORDS == 2
uvec2 load(uint i) {
    uvec4 words = block(i / 2);
    return MAKE(i % 2 == 0 ? words.xy : words.zw);
}
uvec4 load_quad(uint i) {
    uvec4 words = block(i / 2);
    return uvec4(MAKE(words.xy), MAKE(words.zw));
}
#else
uint load(uint i) { return MAKE(block(i / 4)[i % 4]); }
uvec4 load_quad(uint i) {
    uvec4 words = block(i / 4);
    return uvec4(MAKE(words.x), MAKE(words.y), MAKE(words.z), MAKE(words.w));
}
#endif

#define DST 1
#include "index/load_words.glsl"

layout(constant_id = NEXT_SPEC) const bool FROM_BUFFER = false;

void main() {
    read_state(FROM_BUFFER);
    run();
}
