#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The upper triangle T for which the product of `columns` reflections is I - V T V^H, from the products V^H V. Dst gets
// it by columns, with zeros elsewhere. A member takes a row.
#define BASES a_base, factors_base, dst_base
#define EXTRA uint rows, columns, factors_pitch;
#include "families/team.glsl"

layout(binding = 0) readonly buffer A { SCALAR a[]; };
layout(binding = 1) readonly buffer Factors { SCALAR factors[]; };
layout(binding = 2) buffer Dst { SCALAR dst[]; };

void unit(uint matrix) {
    uint n = push.rows, base = push.a_base + matrix * n * n, to = push.dst_base + matrix * n * n;
    uint taus = push.factors_base + matrix * push.factors_pitch;
    for (uint i = member; i < n; i += members)
        for (uint j = 0; j < n; j++) {
            SCALAR cell = scalar(ZERO);
            if (i <= j && j < push.columns) {
                SCALAR tau = factors[taus + j], sum = scalar(ZERO);
                // The products are Hermitian.
                for (uint k = i; k < j; k++)
                    sum = plus(sum, times(dst[to + k * n + i], conjugate(a[base + j * n + k])));
                cell = j == i ? tau : negative(times(tau, sum));
            }
            dst[to + j * n + i] = cell;
        }
}

void main() { run(); }
