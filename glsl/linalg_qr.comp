#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// QR decomposition by reflections, in place: steps `from` to `to` of the columns that end at `right`. R is in the upper
// triangle, and the vectors of reflections are below. Dst gets the factors tau.
#define BASES a_base, dst_base
#define EXTRA uint rows, row_step, pitch, factors_pitch, right, from, to;
#include "families/team.glsl"

layout(binding = 0) coherent buffer A { SCALAR a[]; };
layout(binding = 1) writeonly buffer Dst { SCALAR dst[]; };
#include "families/reflector.glsl"

#define MOST_COLUMNS 64
shared SCALAR products[MOST_COLUMNS];

void unit(uint matrix) {
    uint base = push.a_base + matrix * push.pitch, step = push.row_step;
    for (uint k = push.from; k < push.to; k++) {
        uint own = base + k * step + k;
        SCALAR tau = reflector(own, step, push.rows - k);
        if (member == 0) dst[push.dst_base + matrix * push.factors_pitch + k] = tau;
        for (uint j = 1 + member; j < push.right - k; j += members) {
            SUM_OF(sum, i, 1u, push.rows - k, times(conjugate(a[own + i * step]), a[own + i * step + j]))
            products[j] = times(conjugate(tau), plus(a[own + j], sum));
        }
        meet();
        for (uint i = member; i < push.rows - k; i += members) {
            uint at = own + i * step;
            SCALAR v = a[at];
            if (i == 0) v = scalar(ONE);
            for (uint j = 1; j < push.right - k; j++) a[at + j] = minus_product(a[at + j], v, products[j]);
        }
        meet();
    }
}

void main() { run(); }
