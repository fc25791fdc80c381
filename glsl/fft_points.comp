#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// What comes before and after Fourier transforms. A unit is point k of a transform, or points k and span - k.
#include "families/fft.glsl"
layout(constant_id = NEXT_SPEC) const uint STEP = 0u;

const uint EXTEND = 0u;  // the first half of points that are conjugates of the others, to all of them
const uint JOIN = 1u;    // the transform of pairs of real numbers, to that of 2 * span real numbers
const uint SPLIT = 2u;   // its inverse, times 2

PAIR point(PLACE at, uint k) { return load(at.x + k * push.src_step, k); }
void put(PLACE at, uint k, PAIR value) { store(at.y + k * push.dst_step, k, value); }

// Only the real parts of points 0 and span count, as in NumPy.
PAIR half_point(PLACE at, uint k, uint count) {
    PAIR value = point(at, k);
    if (k == 0 || 2 * k == count) IM(value) = ZERO;
    return value;
}

void extend(PLACE at, uint k) {
    bool beyond = 2 * k > push.span;
    PAIR value = half_point(at, beyond ? push.span - k : k, push.span);
    put(at, k, beyond ? conjugated(value) : value);
}

void join(PLACE at, uint k) {
    uint other = push.span - k;
    PAIR a = point(at, k), b = conjugated(point(at, k == 0 ? 0 : other));
    PAIR even = pair_scaled(pair_plus(a, b), HALF_OF), odd = pair_scaled(quarter_back(pair_minus(a, b)), HALF_OF);
    odd = pair_times(odd, root(k));
    put(at, k, pair_plus(even, odd));
    if (other != k) put(at, other, conjugated(pair_minus(even, odd)));
}

void split(PLACE at, uint k) {
    uint other = push.span - k;
    PAIR a = half_point(at, k, 2 * push.span), b = conjugated(half_point(at, other, 2 * push.span));
    PAIR even = pair_plus(a, b), odd = pair_times(pair_minus(a, b), conjugated(root(k)));
    // even + i * odd, and the conjugate of even - i * odd
    odd = quarter_back(odd);
    put(at, k, pair_minus(even, odd));
    if (k != 0 && other != k) put(at, other, conjugated(pair_plus(even, odd)));
}

void unit(uint n, bool whole) {
    PLACE at = place_of(n);
    uint k = captured;
    if (STEP == EXTEND) extend(at, k);
    if (STEP == JOIN) join(at, k);
    if (STEP == SPLIT) split(at, k);
}

void main() { run(); }
