#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// QR iterations with shifts, of complex upper Hessenberg matrices, in place, and of the columns of Dst, if `turned` is
// how many rows that has, and not 0: `budget` rounds of them, each of which tests one element below the diagonal, or does one step of a sweep, a rotation of two rows and then
// of the same columns. The state goes from launch to launch. What is below the diagonal is left as it comes. The matrix
// has been scaled, so that its largest elements are about 1.
#define BASES a_base, dst_base, state_base
#define EXTRA uint rows, turned, budget, state_pitch;
#include "families/team.glsl"

layout(binding = 0) coherent buffer A { SCALAR a[]; };
layout(binding = 1) coherent buffer Dst { SCALAR dst[]; };
layout(binding = 2) coherent buffer States { uint states[]; };
#include "families/rotation.glsl"

#define MODE 0
#define HIGH 1    // the last row of what is not done
#define LOW 2     // the first row of the sweep
#define AT 3      // the row of the test, or of the step
#define SWEEPS 4  // since a row was last done
#define SCANNING 0u
#define CHASING 1u
#define DONE 2u
#define FAILED 3u
#define MOST_SWEEPS 60u

uint matrix_base;
#define CELL(i, j) (matrix_base + (i) * push.rows + (j))

// A number as a signed length and a number of length 1.
struct Polar {
    REAL size;
    SCALAR phase;
};
Polar polar(SCALAR z) {
    Rotation by = rotation(real_part(z), imaginary_part(z));
    return Polar(by.size, SCALAR(by.c, by.s));
}

// The root of a number that is not negative, without a loop, to a few roundings.
REAL near_root(REAL x) {
    int half_exponent = clamp(exponent_of(x), LEAST_EXPONENT + 2, MOST_EXPONENT - 2) >> 1;
    REAL scaled = times(x, two_to(-2 * half_exponent));
    return is_zero(x) ? ZERO : times(times(scaled, reciprocal_root(scaled)), two_to(half_exponent));
}
SCALAR near_root(SCALAR z) {
    REAL u = magnitude(real_part(z)), size = magnitude(polar(z).size);
    REAL major = near_root(times(HALF, plus(u, size)));
    if (is_zero(major)) return scalar(ZERO);
    REAL minor = over(times(HALF, imaginary_part(z)), major);
    return is_negative(real_part(z)) ? SCALAR(magnitude(minor), with_sign(major, imaginary_part(z)))
                                     : SCALAR(major, minor);
}

// The eigenvalue of the last two rows that is closer to the last element, or another number after many sweeps.
SCALAR shift_of(uint high, uint sweeps) {
    SCALAR p = a[CELL(high - 1, high - 1)], q = a[CELL(high - 1, high)];
    SCALAR r = a[CELL(high, high - 1)], last = a[CELL(high, high)];
    if (sweeps % 10u == 9u) return plus(last, scalar(magnitude(polar(r).size)));
    SCALAR product = times(q, r), apart = times(minus(p, last), HALF);
    SCALAR split = near_root(plus(times(apart, apart), product));
    SCALAR one = plus(apart, split), other = minus(apart, split);
    if (beyond(largest_part(other), largest_part(one))) one = other;
    return is_zero(one) ? last : minus(last, over(product, one));
}

// (c, s; -conj(s), c) of two numbers, times (c, s) and its like.
void turn(inout SCALAR x, inout SCALAR y, REAL c, SCALAR s) {
    SCALAR first = plus(times(x, c), times(s, y));
    y = minus(times(y, c), times(conjugate(s), x));
    x = first;
}

void unit(uint matrix) {
    uint state = push.state_base + matrix * push.state_pitch, n = push.rows;
    matrix_base = push.a_base + matrix * n * n;
    uint vectors = push.dst_base + matrix * n * n;
    uint mode = states[state + MODE], high = states[state + HIGH], low = states[state + LOW];
    uint at = states[state + AT], sweeps = states[state + SWEEPS];
    for (uint round = 0; round < push.budget && mode < DONE; round++) {
        if (mode == SCANNING) {
            bool separate = at == 0;
            if (!separate) {
                REAL near = plus(largest_part(a[CELL(at, at)]), largest_part(a[CELL(at - 1, at - 1)]));
                REAL size = largest_part(a[CELL(at, at - 1)]);
                separate = !beyond(size, times(EPSILON, near)) || is_zero(size);
            }
            if (!separate) at--;
            else if (at == high) {
                mode = high == 0 ? DONE : SCANNING;
                high = at = max(high, 1) - 1;
                sweeps = 0;
            } else {
                mode = sweeps == MOST_SWEEPS ? FAILED : CHASING;
                low = at;
                sweeps++;
            }
            continue;
        }
        uint k = at;
        SCALAR x = k > low ? a[CELL(k, k - 1)] : minus(a[CELL(k, k)], shift_of(high, sweeps));
        SCALAR y = k > low ? a[CELL(k + 1, k - 1)] : a[CELL(k + 1, k)];
        Polar first = polar(x), second = polar(y);
        Rotation by = rotation(first.size, second.size);
        REAL c = by.c;
        SCALAR s = times(times(first.phase, conjugate(second.phase)), by.s);
        meet();
        for (uint j = (k > low ? k - 1 : k) + member; j < n; j += members) {
            SCALAR upper = a[CELL(k, j)], lower = a[CELL(k + 1, j)];
            turn(upper, lower, c, s);
            a[CELL(k, j)] = upper;
            a[CELL(k + 1, j)] = lower;
        }
        meet();
        for (uint i = member; i <= min(k + 2, high); i += members) {
            SCALAR left = a[CELL(i, k)], right = a[CELL(i, k + 1)];
            turn(left, right, c, conjugate(s));
            a[CELL(i, k)] = left;
            a[CELL(i, k + 1)] = right;
        }
        for (uint i = member; i < push.turned; i += members) {
            uint cell = vectors + i * n + k;
            SCALAR left = dst[cell], right = dst[cell + 1];
            turn(left, right, c, conjugate(s));
            dst[cell] = left;
            dst[cell + 1] = right;
        }
        meet();
        at++;
        if (at == high) mode = SCANNING;
    }
    meet();
    if (member == 0) {
        states[state + MODE] = mode;
        states[state + HIGH] = high;
        states[state + LOW] = low;
        states[state + AT] = at;
        states[state + SWEEPS] = sweeps;
    }
}

void main() { run(); }
