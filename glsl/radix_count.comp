#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// How often each digit occurs in each chunk. The counts of one digit are adjacent, so that the sum of those
// before a count is where the first such element of its chunk goes.
#define BASES src_base, dst_base
#define FROM push.src_base
#include "families/radix.glsl"

layout(binding = 0) readonly buffer Src { uvec4 src[]; };
layout(binding = 1) writeonly buffer Dst { uint dst[]; };

void unit(uint n, bool whole) {
    uint group, row = divide(n, groups, groups_reciprocal, group);
    uint start = group * push.chunk, end = min(start + push.chunk, extent);
    uint from = bases.x + row * (push.src_pitch / PER), to = bases.y + row * DIGITS * groups + group;
    for (uint d = 0; d < DIGITS; d++) count[d] = 0;
    for (uint i = start; i < end; i += PER) {
        uvec4 quad = src[from + i / PER];
        [[unroll]] for (uint k = 0; k < PER; k++)
            count[digit_of(ordered(raw_of(quad, k)))] += uint(i + k < end);
    }
    for (uint d = 0; d < DIGITS; d++) dst[to + d * groups] = count[d];
}

void main() { run(); }
