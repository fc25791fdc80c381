#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "index/index.glsl"

layout(binding = 0) readonly buffer Src { T src[]; };
layout(binding = 0) readonly buffer SrcQuads { uvec4 src_quads[]; };

T load(uint at) { return src[at]; }
uvec4 load_quad(uint at) { return src_quads[at / (4 / WORDS)]; }

#define DST 1
#include "index/load_words.glsl"

void main() { run(); }
