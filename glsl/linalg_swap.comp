#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Exchange rows `from` to `to` with the rows that pivots name, one after the other, in the columns `left` to `right`.
#define BASES a_base, pivots_base
#define EXTRA uint row_step, pitch, pivots_pitch, left, right, from, to;
#include "families/team.glsl"

layout(binding = 0) buffer A { SCALAR a[]; };
layout(binding = 1) readonly buffer Pivots { uint pivots[]; };

void unit(uint matrix) {
    uint base = push.a_base + matrix * push.pitch, step = push.row_step;
    for (uint j = push.left + member; j < push.right; j += members)
        for (uint k = push.from; k < push.to; k++) {
            uint own = base + k * step + j;
            uint other = base + pivots[push.pivots_base + matrix * push.pivots_pitch + k] * step + j;
            SCALAR x = a[own];
            a[own] = a[other];
            a[other] = x;
        }
}

void main() { run(); }
