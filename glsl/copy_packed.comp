#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "index/index.glsl"

layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 0) readonly buffer SrcQuads { uvec4 src_quads[]; };

uint load(uint at) { return src[at / (32 / BITS)] >> at % (32 / BITS) * BITS & (1u << BITS) - 1; }
uvec4 load_quad(uint at) { return src_quads[at / (128 / BITS)]; }

#define DST 1
#include "index/load_packed.glsl"

void main() { run(); }
