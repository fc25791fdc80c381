#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// LU decomposition with row exchanges, in place: steps `from` to `to` of the columns `left` to `right`. The pivot is
// the largest magnitude of a column, the first one of equals; of complex numbers the larger part counts. L has ones on its diagonal, which are not stored.
// Pivots are the rows that were exchanged with rows 0, 1, ...
#define BASES a_base, dst_base
#define EXTRA uint rows, row_step, pitch, pivots_pitch, left, right, from, to;
#include "families/team.glsl"
#include "families/team_largest.glsl"

layout(binding = 0) coherent buffer A { SCALAR a[]; };
layout(binding = 1) writeonly buffer Dst { uint dst[]; };

void unit(uint matrix) {
    uint base = push.a_base + matrix * push.pitch, step = push.row_step;
    for (uint k = push.from; k < push.to; k++) {
        REAL most = ZERO;
        uint pivot = k;
        for (uint i = k + member; i < push.rows; i += members) {
            REAL size = largest_part(a[base + i * step + k]);
            if (beyond(size, most)) {
                most = size;
                pivot = i;
            }
        }
        team_largest(most, pivot);
        uint own = base + k * step, other = base + pivot * step;
        for (uint j = push.left + member; j < push.right; j += members) {
            SCALAR x = a[own + j];
            a[own + j] = a[other + j];
            a[other + j] = x;
        }
        if (member == 0) dst[push.dst_base + matrix * push.pivots_pitch + k] = pivot;
        meet();
        SCALAR divisor = a[own + k];
        bool singular = is_zero(divisor);  // and so is what would be divided
        for (uint i = k + 1 + member; i < push.rows; i += members) {
            uint at = base + i * step;
            SCALAR factor = singular ? a[at + k] : over(a[at + k], divisor);
            a[at + k] = factor;
            for (uint j = k + 1; j < push.right; j++) a[at + j] = minus_product(a[at + j], factor, a[own + j]);
        }
        meet();
    }
}

void main() { run(); }
