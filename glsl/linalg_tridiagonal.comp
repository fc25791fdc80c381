#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// A Hermitian matrix as Q T Q^H with T real and tridiagonal, in place: steps `from` to `to`. Below the subdiagonal are
// the vectors of reflections.
// Dst gets the diagonal, the subdiagonal, and the factors tau. Scratch has the vector v, and with A v the vector w of
// the update A - v w^H - w v^H, which leaves A exactly Hermitian.
#define BASES a_base, scratch_base, dst_base
#define EXTRA uint rows, from, to;
#include "families/team.glsl"

layout(binding = 0) coherent buffer A { SCALAR a[]; };
layout(binding = 1) coherent buffer Scratch { SCALAR scratch[]; };
layout(binding = 2) coherent buffer Dst { SCALAR dst[]; };
#include "families/reflector.glsl"

void unit(uint matrix) {
    uint n = push.rows, base = push.a_base + matrix * n * n;
    uint v = push.scratch_base + matrix * 2 * n, w = v + n, to = push.dst_base + matrix * 3 * n;
    for (uint k = push.from; k < push.to; k++)
        for (uint phase = 0; phase < 4; phase++) {
            uint first = k + 1, count = n - first;
            if (phase == 0) {
                SCALAR tau = scalar(ZERO);
                if (count > 0) tau = reflector(base + first * n + k, n, count);
                for (uint i = first + member; i < n; i += members) scratch[v + i] = i == first ? scalar(ONE) : a[base + i * n + k];
                if (member == 0) {
                    dst[to + k] = a[base + k * n + k];
                    if (count > 0) dst[to + n + k] = a[base + first * n + k];
                    dst[to + 2 * n + k] = tau;
                }
            } else if (phase == 1) {
                SCALAR tau = dst[to + 2 * n + k];
                for (uint i = first + member; i < n; i += members) {
                    // Down a column instead of along the row, which is the same: neighbours read what lies together.
                    SUM_OF(sum, j, first, n, times(conjugate(a[base + j * n + i]), scratch[v + j]))
                    scratch[w + i] = times(tau, sum);
                }
            } else if (phase == 2) {
                TEAM_SUM_OF(sum, i, count, times(scratch[v + first + i], conjugate(scratch[w + first + i])))
                SCALAR factor = times(times(dst[to + 2 * n + k], HALF), sum);
                for (uint i = first + member; i < n; i += members)
                    scratch[w + i] = minus_product(scratch[w + i], factor, scratch[v + i]);
            } else
                for (uint j = first + member; j < n; j += members) {
                    SCALAR own_v = conjugate(scratch[v + j]), own_w = conjugate(scratch[w + j]);
                    for (uint i = first; i < n; i++) {
                        uint at = base + i * n + j;
                        SCALAR one = times(scratch[v + i], own_w), other = times(scratch[w + i], own_v);
                        a[at] = minus(a[at], plus(one, other));
                    }
                }
            meet();
        }
}

void main() { run(); }
