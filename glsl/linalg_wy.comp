#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The upper triangular T for which the product of reflections is I - V T V^H, from the products V^H V in place,
// which stay below the diagonal. A member takes a row.
#define BASES a_base, factors_base
#define EXTRA uint rows, factors_pitch;
#include "families/team.glsl"

layout(binding = 0) buffer A { SCALAR a[]; };
layout(binding = 1) readonly buffer Factors { SCALAR factors[]; };

void unit(uint matrix) {
    uint n = push.rows, base = push.a_base + matrix * n * n, taus = push.factors_base + matrix * push.factors_pitch;
    for (uint i = member; i < n; i += members)
        for (uint j = i; j < n; j++) {
            SCALAR tau = factors[taus + j], sum = scalar(ZERO);
            // The products are Hermitian, and those below the diagonal stay.
            for (uint k = i; k < j; k++) sum = plus(sum, times(a[base + i * n + k], conjugate(a[base + j * n + k])));
            a[base + i * n + j] = j == i ? tau : negative(times(tau, sum));
        }
}

void main() { run(); }
