#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Apply the rotations that one launch of linalg_chase left, to rows of matrices. A member takes CELLS cells, of
// neighbouring columns each if WIDE is defined, which share what it reads of a rotation. It applies four runs at once, one
// a row behind the other, so that it reads and writes each row once for them: an element goes through the same
// rotations in the same order.
#define BASES a_base, states_base, rotations_base
#define EXTRA uint cells, row_step, pitch, state_pitch, rotations_pitch, side, sides;
#include "families/team.glsl"
#include "families/chase_state.glsl"

layout(constant_id = 1) const uint CELLS = 1;  // which divides the number of them
#define MOST_CELLS 2
#define EACH(c) [[unroll]] for (uint c = 0; c < CELLS; c++)
#define AT_ONCE 4
#define HELD (AT_ONCE + 1)

#ifndef WIDE
#define CELL REAL
#elif defined(DOUBLE)
#define CELL uvec4
CELL times(REAL a, CELL b) { return CELL(times(a, b.xy), times(a, b.zw)); }
CELL plus(CELL a, CELL b) { return CELL(plus(a.xy, b.xy), plus(a.zw, b.zw)); }
CELL minus(CELL a, CELL b) { return CELL(minus(a.xy, b.xy), minus(a.zw, b.zw)); }
#else
#define CELL vec4
CELL times(REAL a, CELL b) {
    precise CELL product = a * b;
    return product;
}
CELL plus(CELL a, CELL b) {
    precise CELL sum = a + b;
    return sum;
}
CELL minus(CELL a, CELL b) {
    precise CELL difference = a - b;
    return difference;
}
#endif
#ifdef DOUBLE
#define PAIR uvec4
#define COSINE(pair) pair.xy
#define SINE(pair) pair.zw
#else
#define PAIR vec2
#define COSINE(pair) pair.x
#define SINE(pair) pair.y
#endif

layout(binding = 0) buffer A { CELL a[]; };
layout(binding = 1) readonly buffer States { uint states[]; };
layout(binding = 2) readonly buffer Rotations { PAIR rotations[]; };

void unit(uint matrix) {
    uint state = push.states_base + matrix * push.state_pitch, runs = states[state + RUNS], apart = push.cells / CELLS;
    uint from = push.rotations_base + matrix * push.rotations_pitch + push.side;
    for (uint j = member; j < apart; j += members) {
        uint base = push.a_base + matrix * push.pitch + j;
        for (uint run = 0; run < runs;) {
            // Of each run: its first row, the number of its rotations, and where they are. The rows of runs that
            // go together touch.
            uint start[AT_ONCE], many[AT_ONCE], place[AT_ONCE], low = 0, high = 0;
            bool joins = true;
            [[unroll]] for (uint s = 0; s < AT_ONCE; s++) {
                joins = joins && run < runs;
                uint list = state + RUN_LIST + 2 * min(run, runs - 1);
                uint first = states[list], next = run + 1 < runs ? states[list + 2] : states[state + COUNT];
                uint row = states[list + 1], last = row + next - first;
                joins = joins && (s == 0 || row <= high + 1 && low <= last + 1);
                start[s] = row;
                many[s] = joins ? next - first : 0;
                place[s] = from + first * push.sides;
                if (joins) {
                    low = s == 0 ? row : min(low, row);
                    high = max(high, last);
                    run++;
                }
            }
            // Rows `row` - 3 to `row` + 1.
            CELL held[CELLS * HELD];
            EACH(c) held[c * HELD + AT_ONCE - 1] = a[base + c * apart + low * push.row_step];
            for (uint row = low; row < high + AT_ONCE; row++) {
                if (row < high) EACH(c) held[c * HELD + AT_ONCE] = a[base + c * apart + (row + 1) * push.row_step];
                [[unroll]] for (uint s = 0; s < AT_ONCE; s++) {
                    uint own = row - s - start[s];
                    if (own < many[s]) {
                        PAIR pair = rotations[place[s] + own * push.sides];
                        EACH(c) {
                            uint at = c * HELD + AT_ONCE - 1 - s;
                            CELL one = held[at], next = held[at + 1];
                            held[at] = plus(times(COSINE(pair), one), times(SINE(pair), next));
                            held[at + 1] = minus(times(COSINE(pair), next), times(SINE(pair), one));
                        }
                    }
                }
                if (row >= low + AT_ONCE - 1)
                    EACH(c) a[base + c * apart + (row + 1 - AT_ONCE) * push.row_step] = held[c * HELD];
                EACH(c)
                    [[unroll]] for (uint k = 0; k < AT_ONCE; k++) held[c * HELD + k] = held[c * HELD + k + 1];
            }
        }
    }
}

void main() { run(); }
