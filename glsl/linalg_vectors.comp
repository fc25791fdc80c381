#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The vectors of reflections, as the columns of a matrix of `height` by `width`: what is below the diagonal of A, which
// has `rows` and `columns`, ones on the diagonal, and zeros. Dst gets them by rows, and then by columns.
#define BASES a_base, dst_base
#define EXTRA uint rows, columns, row_step, column_step, pitch, height, width;
#include "families/team.glsl"

layout(binding = 0) readonly buffer A { SCALAR a[]; };
layout(binding = 1) writeonly buffer Dst { SCALAR dst[]; };

void unit(uint matrix) {
    uint size = push.height * push.width, to = push.dst_base + matrix * 2 * size;
    for (uint k = member; k < size; k += members) {
        uint i = k / push.width, j = k % push.width;
        SCALAR cell = scalar(ZERO);
        if (j < push.columns) {
            if (i == j) cell = scalar(ONE);
            if (i > j && i < push.rows)
                cell = a[push.a_base + matrix * push.pitch + i * push.row_step + j * push.column_step];
        }
        dst[to + k] = cell;
        dst[to + size + j * push.height + i] = cell;
    }
}

void main() { run(); }
