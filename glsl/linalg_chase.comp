#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// QR iterations with implicit shifts, of tridiagonal matrices, or of bidiagonal ones if BIDIAGONAL is defined, in place
// of their diagonals and off-diagonals: `budget` rounds of them, each of which tests one off-diagonal element, finds a
// shift, or does one step of a sweep. A member takes a matrix. The state goes from launch to launch, and so do the
// rotations of a launch, as cosines and sines in Dst, to the kernel that applies them. The matrix has been scaled, so
// that its largest elements are about 1: what is less than half a unit in their last place is negligible.
#define BASES a_base, state_base, dst_base
#define EXTRA uint matrices, rows, budget, runs, state_pitch;
#include "families/team.glsl"

layout(binding = 0) buffer A { REAL a[]; };
layout(binding = 1) buffer States { uint states[]; };
layout(binding = 2) writeonly buffer Dst { REAL dst[]; };

#include "families/chase_state.glsl"
#include "families/rotation.glsl"

#define SCANNING 0u
#define STARTING 1u
#define CHASING 2u
#define DONE 3u
#define FAILED 4u
#define MOST_SWEEPS 40  // for each row, on average
#define DIAGONAL(i) a[diagonal + (i)]
#define BESIDE(i) a[diagonal + push.rows + (i)]
uint diagonal;

REAL double_of(REAL x) { return plus(x, x); }

#ifdef DOUBLE
REAL saved(uint at) { return uvec2(states[at], states[at + 1]); }
void save(uint at, REAL x) {
    states[at] = x.x;
    states[at + 1] = x.y;
}
#else
REAL saved(uint at) { return uintBitsToFloat(states[at]); }
void save(uint at, REAL x) { states[at] = floatBitsToUint(x); }
#endif

// A sweep is of the rows `low` to `high`. It tests the elements behind it, and the last negligible one is before the row
// `split`; the test of the last element of all follows. `least` is the least magnitude on the diagonal from `split` on.
void unit(uint team) {
    for (uint matrix = member; matrix < push.matrices; matrix += members) {
        uint state = push.state_base + matrix * push.state_pitch, n = push.rows;
        diagonal = push.a_base + matrix * COLUMNS * n;
        uint mode = states[state + MODE], high = states[state + HIGH], low = states[state + LOW];
        uint at = states[state + AT], sweeps = states[state + SWEEPS], split = states[state + SPLIT];
        uint count = 0, runs = 0;
        REAL x = saved(state + X), z = saved(state + Z), least = saved(state + LEAST);
        for (uint round = 0; round < push.budget && mode < DONE && (runs < push.runs || mode == CHASING); round++) {
            uint tested = at;
            bool scans = mode == SCANNING, tests = scans && at > 0;
            if (!scans) {
                bool starts = mode == STARTING;
                uint row = starts ? high - 1 : at;
                REAL p = DIAGONAL(row), q = BESIDE(row), r = DIAGONAL(row + 1);
                if (starts) {
#ifdef BIDIAGONAL
                    // The shift is of the product with the transpose.
                    REAL above = row > low ? BESIDE(row - 1) : ZERO;
                    z = times(p, q);
                    p = plus(times(p, p), times(above, above));
                    r = plus(times(r, r), times(q, q));
#else
                    z = q;
#endif
                    x = times(HALF, minus(p, r));
                }
                Rotation by = rotation(x, z);
                if (starts) {
                    mode = ++sweeps > MOST_SWEEPS * n ? FAILED : CHASING;
                    at = split = low;
                    REAL first = DIAGONAL(low), shift = plus(r, shift_by(x, z, by.size));
                    z = BESIDE(low);
#ifdef BIDIAGONAL
                    // Without a shift, a zero moves to the end.
                    bool none = !beyond(least, times(HALF, EPSILON)) || sweeps % 16 == 15;
                    x = none ? first : minus(times(first, first), shift);
                    z = none ? z : times(first, z);
#else
                    x = minus(first, shift);
#endif
                } else {
                    tests = at > low;
                    if (tests) BESIDE(at - 1) = by.size;
                    if (count == 0 || !tests) {
                        states[state + RUN_LIST + 2 * runs] = count;
                        states[state + RUN_LIST + 2 * runs + 1] = at;
                        runs++;
                    }
                    uint to = push.dst_base + (matrix * push.budget + count) * SLOTS;
                    dst[to] = by.c;
                    dst[to + 1] = by.s;
                    count++;
#ifdef BIDIAGONAL
                    REAL f = plus(times(by.c, p), times(by.s, q)), g = times(by.s, r);
                    q = minus(times(by.c, q), times(by.s, p));
                    r = times(by.c, r);
                    by = rotation(f, g);
                    p = by.size;
                    x = plus(times(by.c, q), times(by.s, r));
                    r = minus(times(by.c, r), times(by.s, q));
                    dst[to + 2] = by.c;
                    dst[to + 3] = by.s;
#else
                    REAL change = plus(times(minus(r, p), by.s), double_of(times(by.c, q)));
                    REAL moved = times(by.s, change);
                    p = plus(p, moved);
                    x = minus(times(by.c, change), q);
                    r = minus(r, moved);
#endif
                    DIAGONAL(at) = p;
                    DIAGONAL(at + 1) = r;
                    BESIDE(at) = x;
                    at++;
                    if (at < high) {
                        z = times(by.s, BESIDE(at));
                        BESIDE(at) = times(by.c, BESIDE(at));
                    } else
                        mode = SCANNING;
                }
            }
            REAL own = magnitude(DIAGONAL(tested));
            bool separate = !tests;
            if (tests) {
                REAL size = magnitude(BESIDE(tested - 1)), near = plus(own, magnitude(DIAGONAL(tested - 1)));
                separate = !beyond(size, times(EPSILON, plus(near, HALF)));
                if (separate) BESIDE(tested - 1) = ZERO;
                if (!is_finite(size) || !is_finite(near)) mode = FAILED;
            }
            if (scans) {
                bool fresh = at == high && split >= at;
                if (fresh || at < high || !separate) least = fresh || beyond(least, own) ? own : least;
                if (!separate)
                    at = split < at ? split : at - 1;  // what is between has just been tested by a sweep
                else if (at == high) {
                    if (!is_finite(own)) mode = FAILED;
                    else if (at == 0) mode = DONE;
                    high = at = max(at, 1) - 1;
                } else {
                    if (mode == SCANNING) mode = STARTING;
                    low = at;
                }
            } else if (tested < at) {
                if (separate) split = tested;
                least = separate || beyond(least, own) ? own : least;
            }
        }
        states[state + MODE] = mode;
        states[state + HIGH] = high;
        states[state + LOW] = low;
        states[state + AT] = at;
        states[state + SWEEPS] = sweeps;
        states[state + COUNT] = count;
        states[state + SPLIT] = split;
        states[state + RUNS] = runs;
        save(state + X, x);
        save(state + Z, z);
        save(state + LEAST, least);
    }
}

void main() { run(); }
