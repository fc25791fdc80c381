#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// One or two stages of a Fourier transform (Stockham's, in order) for FIRST_RADIX * SECOND_RADIX points, which one
// invocation keeps.
#include "families/fft.glsl"
layout(constant_id = NEXT_SPEC) const uint FIRST_RADIX = 4u;
layout(constant_id = NEXT_SPEC + 1) const uint SECOND_RADIX = 1u;
layout(constant_id = NEXT_SPEC + 2) const bool TURNED = false;  // other stages came before
#include "families/fft_turn.glsl"

void unit(uint n, bool whole) {
    PLACE at = place_of(n);
    wide = push.span * FIRST_RADIX * SECOND_RADIX;
    PAIR points[MOST_POINTS], powers[MOST_RADIX];
    if (TURNED) read_powers(powers, FIRST_RADIX, captured * push.turn * SECOND_RADIX);
    [[unroll]] for (uint q = 0; q < SECOND_RADIX; q++) {
        PAIR u[MOST_RADIX];
        [[unroll]] for (uint p = 0; p < FIRST_RADIX; p++) {
            uint point = p * SECOND_RADIX + q;
            u[p] = load(at.x + point * push.src_step, captured + point * push.span);
        }
        if (TURNED) turn(u, powers, FIRST_RADIX);
        transform(u, FIRST_RADIX);
        [[unroll]] for (uint p = 0; p < FIRST_RADIX; p++) points[p * SECOND_RADIX + q] = u[p];
    }
    [[unroll]] for (uint p = 0; p < FIRST_RADIX; p++) {
        PAIR u[MOST_RADIX];
        [[unroll]] for (uint q = 0; q < SECOND_RADIX; q++) u[q] = points[p * SECOND_RADIX + q];
        if (SECOND_RADIX > 1u) {
            read_powers(powers, SECOND_RADIX, p * push.span + (TURNED ? captured * push.turn : 0));
            turn(u, powers, SECOND_RADIX);
            transform(u, SECOND_RADIX);
        }
        [[unroll]] for (uint q = 0; q < SECOND_RADIX; q++) {
            uint point = q * FIRST_RADIX + p;
            store(at.y + point * push.dst_step, captured + point * push.span, u[q]);
        }
    }
}

void main() { run(); }
