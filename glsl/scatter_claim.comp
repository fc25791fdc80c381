#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The last-writer election: each index writes its own position in the buffer, plus 1, to the word that it
// selects, by a maximum. So of several that select the same word, the last one wins.
#define BASES index_base, dst_base
#define FROM push.index_base
#define MAX_RANK 8
#define EXTRA
#include "index/index.glsl"
#include "index/row.glsl"

layout(constant_id = 8) const bool QUADS = false;  // whole units are read by quads

layout(binding = 0) readonly buffer Index { uint index[]; };
layout(binding = 0) readonly buffer IndexQuads { uvec4 quads[]; };
layout(binding = 1) buffer Dst { uint dst[]; };

void unit(uint n, bool whole) {
    uint from = bases.x + n * UNIT;
    if (QUADS && whole) {
        [[unroll]] for (uint k = 0; k < UNIT; k += 4) {
            uvec4 cells = quads[(from + k) / 4];
            [[unroll]] for (uint i = 0; i < 4; i++) atomicMax(dst[bases.y + cells[i]], from + k + i + 1);
        }
    } else
        for (uint i = n * UNIT; i < min(n * UNIT + UNIT, extent); i++)
            atomicMax(dst[bases.y + index[bases.x + i]], bases.x + i + 1);
}

void main() { run(); }
