#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Sorts runs of BLOCK keys in place, one invocation each, and writes the places that the keys had.
#define BASES keys_base, dst_base
#define FROM push.keys_base
#define HELD BLOCK
#include "families/sort.glsl"

layout(binding = 0) buffer Keys { uvec4 keys[]; };
layout(binding = 1) writeonly buffer Dst { uvec4 dst[]; };

void unit(uint n, bool whole) {
    uint group, row = divide(n, groups, groups_reciprocal, group);
    uint start = group * BLOCK, left = extent - start, at = row * push.pitch + start;
    [[unroll]] for (uint k = 0; k < BLOCK; k += PER) {
        uvec4 quad = uvec4(LAST);
        if (k < left) quad = keys[(bases.x + at + k) / PER];
        [[unroll]] for (uint i = 0; i < PER; i++) {
            key[k + i] = k + i < left ? GET(quad, i) : KEY(LAST);
            place[k + i] = k + i;
        }
    }
    compare(1, 1);
    compare(2, 3);
    compare(1, 1);
    compare(4, 7);
    compare(2, 2);
    compare(1, 1);
    compare(8, 15);
    compare(4, 4);
    compare(2, 2);
    compare(1, 1);
    [[unroll]] for (uint k = 0; k < BLOCK; k += PER) {
        uvec4 quad;
        [[unroll]] for (uint i = 0; i < PER; i++) PUT(quad, i, key[k + i]);
        if (k < left) keys[(bases.x + at + k) / PER] = quad;
    }
    [[unroll]] for (uint k = 0; k < BLOCK; k += 4) {
        uvec4 quad = start + uvec4(place[k], place[k + 1], place[k + 2], place[k + 3]);
        if (k < left) dst[(bases.y + at + k) / 4] = quad;
    }
}

void main() { run(); }
