#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// QR iterations with implicit shifts, of tridiagonal matrices, or of bidiagonal ones if BIDIAGONAL is defined, in place
// of their diagonals and off-diagonals: `budget` rounds of them, each of which tests one off-diagonal element, or
// does one step of a sweep. A member takes a matrix. The state goes from launch to launch, and so do the rotations of
// a launch, as cosines and sines in Dst, to the kernel that applies them. The matrix has been scaled, so that its
// largest elements are about 1: what is less than half a unit in their last place is negligible.
#define BASES a_base, state_base, dst_base
#define EXTRA uint matrices, rows, budget, state_pitch;
#include "families/team.glsl"

layout(binding = 0) buffer A { REAL a[]; };
layout(binding = 1) buffer States { uint states[]; };
layout(binding = 2) writeonly buffer Dst { REAL dst[]; };

#include "families/chase_state.glsl"

#define SCANNING 0u
#define CHASING 1u
#define DONE 2u
#define FAILED 3u
#define MOST_SWEEPS 40  // for each row, on average
#define DIAGONAL(i) a[diagonal + (i)]
#define BESIDE(i) a[diagonal + push.rows + (i)]
uint diagonal;

REAL double_of(REAL x) { return plus(x, x); }

// Cosine, sine and length: (c, s; -s, c) turns (x, z) into (length, 0).
void rotation(REAL x, REAL z, out REAL c, out REAL s, out REAL length_of) {
    REAL size = magnitude(x), other = magnitude(z), most = beyond(other, size) ? other : size;
    REAL scale = scale_for(most), u = times(x, scale), w = times(z, scale);
    REAL r = root(plus(times(u, u), times(w, w)));
    bool none = is_zero(z);
    c = none ? ONE : over(u, r);
    s = none ? ZERO : over(w, r);
    length_of = none ? x : times(r, two_to(clamp(exponent_of(most), LEAST_EXPONENT, MOST_EXPONENT)));
}

// The eigenvalue of (p, q; q, r) that is closer to r.
REAL shift_of(REAL p, REAL q, REAL r) {
    REAL delta = times(HALF, minus(p, r)), c, s, size;
    rotation(delta, q, c, s, size);
    REAL part = over(q, plus(magnitude(delta), magnitude(size)));
    part = times(q, part);
    return is_zero(q) ? r : is_negative(delta) ? plus(r, part) : minus(r, part);
}

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

void unit(uint team) {
    for (uint matrix = member; matrix < push.matrices; matrix += members) {
        uint state = push.state_base + matrix * push.state_pitch, n = push.rows;
        diagonal = push.a_base + matrix * COLUMNS * n;
        uint mode = states[state + MODE], high = states[state + HIGH], low = states[state + LOW];
        uint at = states[state + AT], sweeps = states[state + SWEEPS], count = 0;
        REAL x = saved(state + X), z = saved(state + Z), least = saved(state + LEAST_DIAGONAL);
        for (uint round = 0; round < push.budget && mode < DONE; round++) {
            if (mode == SCANNING) {
                REAL own = magnitude(DIAGONAL(at));
                least = at == high || beyond(least, own) ? own : least;
                bool split = at == 0;
                if (!split) {
                    REAL size = magnitude(BESIDE(at - 1)), near = plus(own, magnitude(DIAGONAL(at - 1)));
                    split = !beyond(size, times(EPSILON, plus(near, HALF)));
                    if (split) BESIDE(at - 1) = ZERO;
                    if (!is_finite(size) || !is_finite(near)) mode = FAILED;
                }
                if (!split)
                    at--;
                else if (at == high) {
                    if (!is_finite(own)) mode = FAILED;
                    else if (at == 0) mode = DONE;
                    high = at = max(at, 1) - 1;
                } else {
                    mode = ++sweeps > MOST_SWEEPS * n ? FAILED : CHASING;
                    low = at;
                    REAL p = DIAGONAL(high - 1), q = BESIDE(high - 1), r = DIAGONAL(high);
#ifdef BIDIAGONAL
                    // The shift is of the product with the transpose. Without one, a zero moves to the end.
                    REAL above = high - 1 > low ? BESIDE(high - 2) : ZERO;
                    REAL shift = shift_of(plus(times(p, p), times(above, above)), times(p, q),
                                          plus(times(r, r), times(q, q)));
                    REAL first = DIAGONAL(low), beside = BESIDE(low);
                    bool none = !beyond(least, times(HALF, EPSILON)) || sweeps % 16 == 15;
                    x = none ? first : minus(times(first, first), shift);
                    z = none ? beside : times(first, beside);
#else
                    x = minus(DIAGONAL(low), shift_of(p, q, r));
                    z = BESIDE(low);
#endif
                }
            } else {
                REAL c, s, size;
                rotation(x, z, c, s, size);
                if (at > low) BESIDE(at - 1) = size;
                REAL p = DIAGONAL(at), q = BESIDE(at), r = DIAGONAL(at + 1);
                uint to = push.dst_base + (matrix * push.budget + count) * SLOTS;
                dst[to] = c;
                dst[to + 1] = s;
                states[state + PLACES + count++] = at;
#ifdef BIDIAGONAL
                REAL cosine, sine, f = plus(times(c, p), times(s, q)), g = times(s, r);
                q = minus(times(c, q), times(s, p));
                r = times(c, r);
                rotation(f, g, cosine, sine, size);
                DIAGONAL(at) = size;
                x = plus(times(cosine, q), times(sine, r));
                DIAGONAL(at + 1) = minus(times(cosine, r), times(sine, q));
                dst[to + 2] = cosine;
                dst[to + 3] = sine;
                c = cosine;
                s = sine;
#else
                REAL change = plus(times(minus(r, p), s), double_of(times(c, q))), moved = times(s, change);
                DIAGONAL(at) = plus(p, moved);
                DIAGONAL(at + 1) = minus(r, moved);
                x = minus(times(c, change), q);
#endif
                BESIDE(at) = x;
                at++;
                if (at < high) {
                    z = times(s, BESIDE(at));
                    BESIDE(at) = times(c, BESIDE(at));
                } else
                    mode = SCANNING;
            }
        }
        states[state + MODE] = mode;
        states[state + HIGH] = high;
        states[state + LOW] = low;
        states[state + AT] = at;
        states[state + SWEEPS] = sweeps;
        states[state + COUNT] = count;
        save(state + X, x);
        save(state + Z, z);
        save(state + LEAST_DIAGONAL, least);
    }
}

void main() { run(); }
