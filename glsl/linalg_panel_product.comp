#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The products of the vector of a step, as in linalg_panel, with what is left of the matrix or, if `right` is not set,
// with its adjoint; and with the vectors of the panel. A task is a run of terms, for several results: they share what they
// read of the vector. Cells of the matrix are as many neighbours as fit into four words. What they have beside the
// matrix is 0, and so is the vector.
#define BASES a_base, scratch_base
#define EXTRA uint rows, pitch, lines, k, i, right;
#include "families/team.glsl"
#include "families/panel.glsl"

#if defined(DOUBLE) && defined(COMPLEX)
#define CELL uvec4
#define WIDTH 1u
#define PART(cell, w) cell
#elif defined(DOUBLE)
#define CELL uvec4
#define WIDTH 2u
#define PART(cell, w) (w == 0u ? cell.xy : cell.zw)
#elif defined(COMPLEX)
#define CELL vec4
#define WIDTH 2u
#define PART(cell, w) (w == 0u ? cell.xy : cell.zw)
#else
#define CELL vec4
#define WIDTH 4u
#define PART(cell, w) cell[w]
#endif
#define CELLS 2u      // of a task that goes down columns
#define MOST_ROWS 4u  // of a task that goes along rows
#define EACH(c, many) [[unroll]] for (uint c = 0; c < many; c++)

layout(binding = 0) readonly buffer A { CELL a[]; };
layout(binding = 1) buffer Scratch { SCALAR scratch[]; };

void unit(uint matrix) {
    uint n = push.rows, first = FIRST, below = push.k + 1u, across = push.pitch / WIDTH;
    uint base = push.a_base + matrix * n * across, lines = push.scratch_base + matrix * push.lines * push.pitch;
    uint run = first / RUN, runs = (n + RUN - 1u) / RUN - run, many = push.i + push.right;
    uint start_cell = below / WIDTH;
    uint groups = push.right == 0u ? (across - start_cell + CELLS - 1u) / CELLS : (n - below + MOST_ROWS - 1u) / MOST_ROWS;
    uint products = groups * runs, tasks = products + (many + push.i) * runs;
    for (uint task = member; task < tasks; task += members) {
        bool is_dot = task >= products;
        uint number = is_dot ? task - products : task, of = is_dot ? many + push.i : groups;
        uint own = run + number / of, start = max(own * RUN, first), end = min(own * RUN + RUN, n);
        number %= of;
        if (is_dot) {
            bool is_other = number >= many;
            uint j = is_other ? number - many : number, line = j + (is_other ? OWN_OTHER_SET : OWN_SET);
            SCALAR sum = scalar(ZERO);
            for (uint r = start; r < end; r++) sum = plus(sum, times(conjugate(LINE(line, r)), LINE(VECTOR, r)));
            scratch[lines + DOTS * push.pitch + own * 2u * BLOCK + j + (is_other ? BLOCK : 0u)] = sum;
        } else if (push.right == 0u) {
            SCALAR sums[CELLS * WIDTH];
            EACH(c, CELLS * WIDTH) sums[c] = scalar(ZERO);
            uint cell = start_cell + number * CELLS, last = across - 1u - cell;
            for (uint r = start; r < end; r++) {
                SCALAR v = LINE(VECTOR, r);
                EACH(c, CELLS) {
                    CELL part = a[base + r * across + cell + min(c, last)];
                    EACH(w, WIDTH) sums[c * WIDTH + w] = plus(sums[c * WIDTH + w], times(conjugate(PART(part, w)), v));
                }
            }
            EACH(c, CELLS * WIDTH) if (c / WIDTH <= last) LINE(PARTIAL + own, cell * WIDTH + c) = sums[c];
        } else {
            SCALAR sums[MOST_ROWS];
            EACH(r, MOST_ROWS) sums[r] = scalar(ZERO);
            uint row = below + number * MOST_ROWS, last = n - 1u - row;
            for (uint cell = start / WIDTH; cell * WIDTH < end; cell++) {
                SCALAR v[WIDTH];
                EACH(w, WIDTH) v[w] = LINE(VECTOR, cell * WIDTH + w);
                EACH(r, MOST_ROWS) {
                    CELL part = a[base + (row + min(r, last)) * across + cell];
                    EACH(w, WIDTH) sums[r] = plus(sums[r], times(PART(part, w), v[w]));
                }
            }
            EACH(r, MOST_ROWS) if (r <= last) LINE(PARTIAL + own, row + r) = sums[r];
        }
    }
}

void main() { run(); }
