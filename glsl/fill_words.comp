#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Fill with one value, repeated in 16 bytes.
#define BASES dst_base
#define FROM 0
#define MAX_RANK 6
#define EXTRA uint value[4];
#include "index/index.glsl"

uvec4 load_quad(uint at) {
    return uvec4(push.value[0], push.value[1], push.value[2], push.value[3]);
}
T load(uint at) { return T(load_quad(at)); }

#define DST 0
#include "index/load_words.glsl"

void main() { run(); }
