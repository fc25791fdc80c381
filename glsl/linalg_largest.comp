#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The largest magnitude of every `parts`-th number of a matrix, from each of the first `parts` numbers on. Of these
// results, a second launch makes fewer.
#define BASES a_base, dst_base
#define EXTRA uint size, parts;
#include "families/team.glsl"

layout(binding = 0) readonly buffer A { REAL a[]; };
layout(binding = 1) writeonly buffer Dst { REAL dst[]; };

void unit(uint matrix) {
    uint base = push.a_base + matrix * push.size, to = push.dst_base + matrix * push.parts;
    for (uint i = member; i < push.parts; i += members) {
        REAL most = ZERO;
        for (uint k = i; k < push.size; k += push.parts) {
            REAL size = magnitude(a[base + k]);
            if (beyond(size, most)) most = size;
        }
        dst[to + i] = most;
    }
}

void main() { run(); }
