#version 450
#extension GL_GOOGLE_include_directive : require
#include "index_head.glsl"

layout(binding = 0) readonly buffer Src { uint src[]; };

uint load(uint at) { return src[at / (32 / BITS)] >> at % (32 / BITS) * BITS & (1u << BITS) - 1; }
uint load_word(uint at) { return src[at]; }

#define DST 1
#include "packed_head.glsl"

void main() { run(); }
