#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Cholesky decomposition, in place: steps `from` to `to` of the columns that end at `right`. Only the lower triangle,
// and of its diagonal the real parts, is read and written. A matrix with a pivot that is not positive is marked with a 1.
#define BASES a_base, dst_base
#define EXTRA uint rows, row_step, pitch, right, from, to;
#include "families/team.glsl"

layout(binding = 0) coherent buffer A { SCALAR a[]; };
layout(binding = 1) writeonly buffer Dst { uint dst[]; };

void unit(uint matrix) {
    uint base = push.a_base + matrix * push.pitch, step = push.row_step;
    for (uint k = push.from; k < push.to; k++) {
        uint own = base + k * step + k;
        REAL square = real_part(a[own]), divisor = root(square);
        if (member == 0 && !less(ZERO, square)) dst[push.dst_base + matrix] = 1u;
        for (uint i = k + 1 + member; i < push.rows; i += members) {
            uint at = base + i * step + k;
            a[at] = over(a[at], divisor);
        }
        meet();
        if (member == 0) a[own] = scalar(divisor);
        for (uint i = k + 1 + member; i < push.rows; i += members) {
            uint at = base + i * step;
            SCALAR factor = a[at + k];
            for (uint j = k + 1; j < min(i + 1, push.right); j++)
                a[at + j] = minus_product(a[at + j], factor, conjugate(a[base + j * step + k]));
        }
        meet();
    }
}

void main() { run(); }
