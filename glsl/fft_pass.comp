#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// One or two stages of a Fourier transform (Stockham's, in order) for FIRST_RADIX * SECOND_RADIX points, which one
// invocation keeps, or for as many points of each of two neighbours along dim 0.
#include "families/fft.glsl"
layout(constant_id = NEXT_SPEC) const uint FIRST_RADIX = 4u;
layout(constant_id = NEXT_SPEC + 1) const uint SECOND_RADIX = 1u;
layout(constant_id = NEXT_SPEC + 2) const bool TURNED = false;  // other stages came before
layout(constant_id = NEXT_SPEC + 3) const uint COLUMNS = 1u;
// Whether two points are read, or written, at once: those side by side in a transform, or one of each neighbour.
layout(constant_id = NEXT_SPEC + 4) const uint READS = 0u;
layout(constant_id = NEXT_SPEC + 5) const uint WRITES = 0u;
const uint ALONG = 1u, ACROSS = 2u;
#include "families/fft_turn.glsl"

uint place_in(uint point, uint column) {
    return (CAPTURED == 0u ? captured * COLUMNS + column : captured) + point * push.span;
}

void read_points(uint at, uint column, inout PAIR points[2][MOST_POINTS]) {
    const uint count = FIRST_RADIX * SECOND_RADIX;
#ifndef DOUBLE
    if (READS == ALONG) {
        [[unroll]] for (uint point = 0; point < count; point += 2)
            load_two(at + column * push.src_next + point * push.src_step, place_in(point, column),
                     place_in(point + 1, column), points[column][point], points[column][point + 1]);
        return;
    }
    if (READS == ACROSS) {
        if (column == 0) [[unroll]] for (uint point = 0; point < count; point++)
            load_two(at + point * push.src_step, place_in(point, 0), place_in(point, 1), points[0][point],
                     points[1][point]);
        return;
    }
#endif
    [[unroll]] for (uint point = 0; point < count; point++)
        points[column][point] = load(at + column * push.src_next + point * push.src_step, place_in(point, column));
}

void write_points(uint at, uint column, PAIR points[2][MOST_POINTS]) {
    const uint count = FIRST_RADIX * SECOND_RADIX;
#ifndef DOUBLE
    if (WRITES == ALONG) {
        [[unroll]] for (uint point = 0; point < count; point += 2)
            store_two(at + column * push.dst_next + point * push.dst_step, place_in(point, column),
                      place_in(point + 1, column), points[column][point], points[column][point + 1]);
        return;
    }
    if (WRITES == ACROSS) {
        if (column == 0) [[unroll]] for (uint point = 0; point < count; point++)
            store_two(at + point * push.dst_step, place_in(point, 0), place_in(point, 1), points[0][point],
                      points[1][point]);
        return;
    }
#endif
    [[unroll]] for (uint point = 0; point < count; point++)
        store(at + column * push.dst_next + point * push.dst_step, place_in(point, column), points[column][point]);
}

void stages(uint column, inout PAIR points[2][MOST_POINTS]) {
    PAIR powers[MOST_RADIX], made[MOST_POINTS];
    uint turn_index = TURNED ? place_in(0, column) * push.turn : 0;
    if (TURNED) read_powers(powers, FIRST_RADIX, turn_index * SECOND_RADIX);
    [[unroll]] for (uint q = 0; q < SECOND_RADIX; q++) {
        PAIR u[MOST_RADIX];
        [[unroll]] for (uint p = 0; p < FIRST_RADIX; p++) u[p] = points[column][p * SECOND_RADIX + q];
        if (TURNED) turn(u, powers, FIRST_RADIX);
        transform(u, FIRST_RADIX);
        [[unroll]] for (uint p = 0; p < FIRST_RADIX; p++) made[p * SECOND_RADIX + q] = u[p];
    }
    [[unroll]] for (uint p = 0; p < FIRST_RADIX; p++) {
        PAIR u[MOST_RADIX];
        [[unroll]] for (uint q = 0; q < SECOND_RADIX; q++) u[q] = made[p * SECOND_RADIX + q];
        if (SECOND_RADIX > 1u) {
            read_powers(powers, SECOND_RADIX, p * push.span + turn_index);
            turn(u, powers, SECOND_RADIX);
            transform(u, SECOND_RADIX);
        }
        [[unroll]] for (uint q = 0; q < SECOND_RADIX; q++) points[column][q * FIRST_RADIX + p] = u[q];
    }
}

void unit(uint n, bool whole) {
    PLACE at = place_of(n);
    wide = push.span * FIRST_RADIX * SECOND_RADIX;
    PAIR points[2][MOST_POINTS];
    read_points(at.x, 0, points);
    if (COLUMNS > 1u) read_points(at.x, 1, points);
    stages(0, points);
    if (COLUMNS > 1u) stages(1, points);
    write_points(at.y, 0, points);
    if (COLUMNS > 1u) write_points(at.y, 1, points);
}

void main() { run(); }
