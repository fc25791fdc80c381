#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// How often each digit occurs in each tile. The counts of one digit are adjacent, with a word for their sum.
#define BASES src_base, dst_base
#define FROM push.src_base
#include "families/radix_team.glsl"

layout(binding = 1) writeonly buffer Dst { uint dst[]; };

#define COPIES 4  // of a count, by neighbours, which often see the same digit
shared uint counts[COPIES * DIGITS];

void meet() {
    memoryBarrierShared();
    barrier();
}

void unit(uint n, bool whole) {
    uint group, row = divide(n, groups, groups_reciprocal, group), id = gl_LocalInvocationID.x;
    uint start = group * push.chunk, there = min(push.chunk, extent - start);
    uint from = bases.x + row * (push.src_pitch / PER);
    uint to = bases.y + row * DIGITS * (groups + 1) + group;
    meet();  // after the last unit has been read
    for (uint d = id; d < COPIES * DIGITS; d += LANES) counts[d] = 0;
    meet();
    [[unroll]] for (uint k = 0; k < K; k++) {
        uint i = k * LANES + id;
        if (i < there) {
            uint digit = digit_of(ordered(raw_at(from, start + i)));
            atomicAdd(counts[id % COPIES * DIGITS + digit], 1);
        }
    }
    meet();
    for (uint d = id; d < DIGITS; d += LANES) {
        uint sum = 0;
        [[unroll]] for (uint copy = 0; copy < COPIES; copy++) sum += counts[copy * DIGITS + d];
        dst[to + d * (groups + 1)] = sum;
    }
}

void main() { run(); }
