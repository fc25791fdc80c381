#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Fill with one value of BITS, repeated in a word.
#define BASES dst_base
#define FROM 0
#define MAX_RANK 6
#define EXTRA uint value[4];
#include "index/index.glsl"

uvec4 load_quad(uint at) { return uvec4(push.value[0]); }
uint load(uint at) { return push.value[0] & (1u << BITS) - 1; }

#define DST 0
#include "index/load_packed.glsl"

void main() { run(); }
