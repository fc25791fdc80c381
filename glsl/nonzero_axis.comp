#version 450
#extension GL_GOOGLE_include_directive : require
// Of flat row-major indexes, words, the index along one dim of `size`, each step of which covers
// `inner` elements.
#define BASES src_base, dst_base
#define FROM push.src_base
#define MAX_RANK 6
#define EXTRA uint inner, size;
#define T uvec2
#define WORDS 2
#include "index_head.glsl"

layout(binding = 0) readonly buffer Src { uint src[]; };

uvec2 load(uint at) { return uvec2(src[at] / push.inner % push.size, 0); }
uvec4 load_quad(uint at) { return uvec4(load(at), load(at + 1)); }

#define DST 1
#include "load_words_head.glsl"

void main() { run(); }
