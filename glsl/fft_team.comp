#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Up to six stages of Fourier transforms of POINTS points, which a workgroup does together for up to ACROSS
// neighbours along dim 0. `push.extent` is how many there are in all.
#define TEAM
#include "families/fft.glsl"
layout(constant_id = NEXT_SPEC) const uint RADIX_0 = 4u;
layout(constant_id = NEXT_SPEC + 1) const uint RADIX_1 = 1u;
layout(constant_id = NEXT_SPEC + 2) const uint RADIX_2 = 1u;
layout(constant_id = NEXT_SPEC + 3) const uint RADIX_3 = 1u;
layout(constant_id = NEXT_SPEC + 4) const uint RADIX_4 = 1u;
layout(constant_id = NEXT_SPEC + 5) const uint RADIX_5 = 1u;
layout(constant_id = NEXT_SPEC + 6) const bool TURNED = false;  // other stages came before
layout(constant_id = NEXT_SPEC + 7) const uint POINTS = 4u;
layout(constant_id = NEXT_SPEC + 8) const uint ACROSS = 1u;
// Whether invocations side by side read, or write, points of one transform rather than of neighbours.
layout(constant_id = NEXT_SPEC + 9) const bool READS_ALONG = false;
layout(constant_id = NEXT_SPEC + 10) const bool WRITES_ALONG = false;
layout(constant_id = NEXT_SPEC + 11) const uint KEPT = 1024u;  // points of all neighbours
#include "families/fft_turn.glsl"

#define MOST_TURNS 16
shared PAIR points[KEPT];

void meet() {
    memoryBarrierShared();
    barrier();
}

bool is_along(bool is_first, bool is_last) { return is_first && READS_ALONG || is_last && WRITES_ALONG; }

uint position_of(uint neighbour) { return CAPTURED == 0u ? captured * ACROSS + neighbour : captured; }

// Item i of a neighbour, transformed.
void transform_item(PLACE at, uint neighbour, uint i, uint radix, uint before, bool is_first, out PAIR u[MOST_RADIX]) {
    uint count = POINTS / radix, position = position_of(neighbour), source = at.x + neighbour * push.src_next;
    [[unroll]] for (uint p = 0; p < radix; p++) {
        uint point = i + p * count;
        u[p] = is_first ? load(source + point * push.src_step, position + point * push.span)
                        : points[point * ACROSS + neighbour];
    }
    if (TURNED || !is_first) {
        uint index = i % before * push.span + (TURNED ? position * push.turn : 0);
        PAIR powers[MOST_RADIX];
        read_powers(powers, radix, index * (POINTS / (before * radix)));
        turn(u, powers, radix);
    }
    transform(u, radix);
}

void put_item(PLACE at, uint neighbour, uint i, uint radix, uint before, bool is_last, PAIR u[MOST_RADIX]) {
    uint position = position_of(neighbour), target = at.y + neighbour * push.dst_next;
    [[unroll]] for (uint p = 0; p < radix; p++) {
        uint point = i / before * (before * radix) + p * before + i % before;
        if (is_last)
            store(target + point * push.dst_step, position + point * push.span, u[p]);
        else
            points[point * ACROSS + neighbour] = u[p];
    }
}

// A stage that reads and writes `points` keeps what it has read until all have read.
void stage(PLACE at, uint neighbours, uint number, uint radix, uint before) {
    bool is_first = number == 0, is_last = before * radix == POINTS, along = is_along(is_first, is_last);
    uint count = POINTS / radix, lane = gl_LocalInvocationID.x;
    if (is_first || is_last) {
        for (uint item = lane; item < count * ACROSS; item += LANES) {
            uint neighbour = along ? item / count : item % ACROSS, i = along ? item % count : item / ACROSS;
            if (neighbour < neighbours) {
                PAIR u[MOST_RADIX];
                transform_item(at, neighbour, i, radix, before, is_first, u);
                put_item(at, neighbour, i, radix, before, is_last, u);
            }
        }
        return;
    }
    PAIR u[MOST_TURNS][MOST_RADIX];
    uint turns = (count * ACROSS + LANES - 1) / LANES;
    [[unroll]] for (uint k = 0; k < turns; k++) {
        uint item = lane + k * LANES, neighbour = item % ACROSS;
        if (item < count * ACROSS && neighbour < neighbours)
            transform_item(at, neighbour, item / ACROSS, radix, before, false, u[k]);
    }
    meet();
    [[unroll]] for (uint k = 0; k < turns; k++) {
        uint item = lane + k * LANES, neighbour = item % ACROSS;
        if (item < count * ACROSS && neighbour < neighbours)
            put_item(at, neighbour, item / ACROSS, radix, before, false, u[k]);
    }
}

void unit(uint n, bool whole) {
    PLACE at = place_of(n);
    wide = push.span * POINTS;
    uint group = n;
    group = take(group, 0);
    uint neighbours = min(ACROSS, extent - group * ACROSS), before = RADIX_0;
    meet();  // after the last unit has been read
    stage(at, neighbours, 0, RADIX_0, 1);
    if (RADIX_1 > 1u) {
        meet();
        stage(at, neighbours, 1, RADIX_1, before);
        before *= RADIX_1;
    }
    if (RADIX_2 > 1u) {
        meet();
        stage(at, neighbours, 2, RADIX_2, before);
        before *= RADIX_2;
    }
    if (RADIX_3 > 1u) {
        meet();
        stage(at, neighbours, 3, RADIX_3, before);
        before *= RADIX_3;
    }
    if (RADIX_4 > 1u) {
        meet();
        stage(at, neighbours, 4, RADIX_4, before);
        before *= RADIX_4;
    }
    if (RADIX_5 > 1u) {
        meet();
        stage(at, neighbours, 5, RADIX_5, before);
    }
}

void main() { run(); }
