#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Solve lower triangular systems in place: a member takes a column of the right side. An upper triangle is a lower
// one whose steps are negative.
#define BASES a_base, dst_base
#define EXTRA uint rows, columns, a_row, a_column, a_pitch, row, column, pitch, unit_diagonal;
#include "families/team.glsl"

layout(binding = 0) readonly buffer A { SCALAR a[]; };
layout(binding = 1) buffer Dst { SCALAR dst[]; };

void unit(uint matrix) {
    uint base = push.a_base + matrix * push.a_pitch;
    for (uint c = member; c < push.columns; c += members) {
        uint to = push.dst_base + matrix * push.pitch + c * push.column;
        for (uint i = 0; i < push.rows; i++) {
            uint at = base + i * push.a_row;
            SCALAR x = dst[to + i * push.row];
            for (uint j = 0; j < i; j++) x = minus_product(x, a[at + j * push.a_column], dst[to + j * push.row]);
            if (push.unit_diagonal == 0u) x = over(x, a[at + i * push.a_column]);
            dst[to + i * push.row] = x;
        }
    }
}

void main() { run(); }
