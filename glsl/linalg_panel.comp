#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Phases of step `k` of a matrix, the `i`th of a panel, of a column or, if `right`, of a row: its reflection, and the
// vector that updates with it, after linalg_panel_product. Then the next column or row is updated. Dst gets the
// diagonal, what is beside it, and the factors tau.
#define BASES a_base, scratch_base, dst_base
#define EXTRA uint rows, pitch, lines, k, i, right, phase, last;
#include "families/team.glsl"

layout(binding = 0) coherent buffer A { SCALAR a[]; };
layout(binding = 1) coherent buffer Scratch { SCALAR scratch[]; };
layout(binding = 2) coherent buffer Dst { SCALAR dst[]; };
#include "families/reflector.glsl"
#include "families/panel.glsl"

#define REFLECT 0u
#define FINISH 1u
#define CORRECT 2u
shared SCALAR dots[2 * BLOCK];
uint lines, base, to;

// Subtract the products with numbers of another line, at `row`.
SCALAR updated(SCALAR sum, uint set, uint cross, uint many, uint at, uint row) {
    for (uint j = 0; j < many; j++) sum = minus_product(sum, LINE(set + j, at), conjugate(LINE(cross + j, row)));
    return sum;
}

void reflect_line() {
    uint n = push.rows, k = push.k, first = FIRST, step = push.right == 0u ? push.pitch : 1u;
    uint own = base + (push.right == 0u ? first * push.pitch + k : k * push.pitch + first);
    SCALAR tau = scalar(ZERO);
    if (first < n) tau = reflector(own, step, n - first);
    for (uint at = member; at < n; at += members) {
        SCALAR v = scalar(at == first ? ONE : ZERO);
        if (at > first) v = a[own + (at - first) * step];
        LINE(VECTOR, at) = v;
    }
    if (member == 0) {
        if (first == k + 1u && push.right == 0u) dst[to + k] = a[base + k * push.pitch + k];
        if (first < n) dst[to + (first - k) * n + k] = a[own];
        dst[to + (2u + push.right) * n + k] = tau;
    }
}

void finish() {
    uint n = push.rows, k = push.k, i = push.i, run = FIRST / RUN, runs = (n + RUN - 1u) / RUN;
    uint cross = CROSS_SET, other = CROSS_OTHER_SET, many = i + push.right;
    for (uint j = OWN; j < 2u * BLOCK; j += gl_WorkGroupSize.x) {
        SCALAR sum = scalar(ZERO);
        if (j < many || j >= BLOCK && j < BLOCK + i)
            for (uint r = run; r < runs; r++) sum = plus(sum, scratch[lines + DOTS * push.pitch + r * 2u * BLOCK + j]);
        dots[j] = sum;
    }
    meet();
    SCALAR tau = dst[to + (2u + push.right) * n + k];
    for (uint at = k + 1u + member; at < n; at += members) {
        SCALAR sum = scalar(ZERO);
        for (uint r = run; r < runs; r++) sum = plus(sum, LINE(PARTIAL + r, at));
        for (uint j = 0; j < many; j++) sum = minus_product(sum, LINE(cross + j, at), dots[j]);
        for (uint j = 0; j < i; j++) sum = minus_product(sum, LINE(other + j, at), dots[BLOCK + j]);
        sum = times(tau, sum);
#ifdef BIDIAGONAL
        LINE(i + (push.right == 0u ? Y : X), at) = sum;
        if (push.last == 0u) {
            // After a column its row, and after a row the next column.
            bool turns = push.right == 0u;
            uint row = k + push.right, own = base + (turns ? row * push.pitch + at : at * push.pitch + row);
            SCALAR next = updated(conjugate_if(turns, a[own]), cross, OWN_SET, i + 1u, at, row);
            a[own] = updated(next, other, OWN_OTHER_SET, many, at, row);
        }
#else
        LINE(RAW, at) = sum;
#endif
    }
}

#ifndef BIDIAGONAL
void correct() {
    uint n = push.rows, first = push.k + 1u, i = push.i, task = member, tasks = members;
    member = OWN;  // each team sums all
    members = gl_WorkGroupSize.x;
    TEAM_SUM_OF(sum, j, (n - first), times(LINE(VECTOR, first + j), conjugate(LINE(RAW, first + j))))
    member = task;
    members = tasks;
    SCALAR factor = times(times(dst[to + 2u * n + push.k], HALF), sum);
    SCALAR top = minus_product(LINE(RAW, first), factor, LINE(VECTOR, first));
    for (uint at = first + member; at < n; at += members) {
        SCALAR v = LINE(VECTOR, at), w = minus_product(LINE(RAW, at), factor, v);
        LINE(X + i, at) = w;
        if (push.last == 0u) {
            uint own = base + at * push.pitch + first;
            SCALAR next = updated(updated(a[own], U, Y, i, at, first), X, P, i, at, first);
            // Of this vector, others may not have been written yet.
            next = minus_product(next, v, conjugate(top));
            a[own] = minus_product(next, w, conjugate(LINE(VECTOR, first)));
        }
    }
}
#endif

void unit(uint matrix) {
    base = push.a_base + matrix * push.rows * push.pitch;
    lines = push.scratch_base + matrix * push.lines * push.pitch;
    to = push.dst_base + matrix * NUMBERS * push.rows;
    if (push.phase == REFLECT) reflect_line();
    if (push.phase == FINISH) finish();
#ifndef BIDIAGONAL
    if (push.phase == CORRECT) correct();
#endif
}

void main() { run(); }
