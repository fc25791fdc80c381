#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// A square matrix as Q B P^H with B real and upper bidiagonal, in place: steps `from` to `to`, and of them the phases `start` to
// `stop`. A team does all phases of a step, or many teams do one. Below the diagonal, and right of the superdiagonal,
// are the vectors of reflections. Dst gets the diagonal, the superdiagonal, and the factors tau of Q and of P. Scratch
// has the vector of a reflection, from the left its conjugate, and the products with it.
#define BASES a_base, scratch_base, dst_base
#define EXTRA uint rows, from, to;
#include "families/team.glsl"

layout(binding = 0) coherent buffer A { SCALAR a[]; };
layout(binding = 1) coherent buffer Scratch { SCALAR scratch[]; };
layout(binding = 2) coherent buffer Dst { SCALAR dst[]; };
#include "families/reflector.glsl"

void unit(uint matrix) {
    uint n = push.rows, base = push.a_base + matrix * n * n;
    uint v = push.scratch_base + matrix * 2 * n, w = v + n, to = push.dst_base + matrix * 4 * n;
    for (uint k = push.from; k < push.to; k++)
        for (uint phase = 0; phase < 6; phase++) {
            // The reflection from the left is of column k, and the one from the right of what is right of it in row k.
            bool left = phase < 3;
            uint first = left ? k : k + 1, part = phase % 3, factor = to + (left ? 2 : 3) * n + k;
            uint step = left ? n : 1, across = n + 1 - step, own = base + k * n + first;
            if (part == 0) {
                SCALAR tau = scalar(ZERO);
#ifdef COMPLEX
                // The row is that of A; the vector is of its conjugate.
                if (!left) {
                    for (uint i = first + member; i < n; i += members) a[own + i - first] = conjugate(a[own + i - first]);
                    meet();
                }
#endif
                if (first < n) tau = reflector(own, step, n - first);
                for (uint i = first + member; i < n; i += members)
                    scratch[v + i] = i == first ? scalar(ONE) : conjugate_if(left, a[own + (i - first) * step]);
                if (member == 0) {
                    if (first < n) dst[to + (left ? 0 : n) + k] = a[own];
                    dst[factor] = tau;
                }
            } else if (part == 1) {
                SCALAR tau = conjugate_if(left, dst[factor]);
                for (uint j = k + 1 + member; j < n; j += members) {
                    uint at = base + first * step + j * across;
                    SUM_OF(sum, i, 0u, n - first, times(a[at + i * step], scratch[v + first + i]))
                    scratch[w + j] = times(tau, sum);
                }
            } else {
                // Members take columns, so that neighbours read what lies together.
                uint side = left ? v : w, top = left ? w : v;
                for (uint j = k + 1 + member; j < n; j += members) {
                    SCALAR factor_of_column = conjugate_if(!left, scratch[top + j]);
                    for (uint i = first; i < n; i++) {
                        uint at = base + i * n + j;
                        a[at] = minus_product(a[at], conjugate_if(left, scratch[side + i]), factor_of_column);
                    }
                }
            }
            meet();
        }
}

void main() { run(); }
