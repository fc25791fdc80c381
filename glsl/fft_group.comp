#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_shuffle : require
// The first stages of a Fourier transform of eight times OWN points, which the eight lanes of a group keep. The last
// of them has the radix 8. Before it each lane transforms every eighth point, and so needs none of the others. Or the
// lanes keep two neighbours along dim 0, where the captured dim is, whose points lie side by side.
#define TEAM
#include "families/fft.glsl"
layout(constant_id = NEXT_SPEC) const uint RADIX_0 = 16u;
layout(constant_id = NEXT_SPEC + 1) const uint RADIX_1 = 1u;
layout(constant_id = NEXT_SPEC + 2) const uint RADIX_2 = 1u;
layout(constant_id = NEXT_SPEC + 3) const uint RADIX_3 = 1u;
// Whether two points of a transform that lie side by side are read, or written, at once.
layout(constant_id = NEXT_SPEC + 4) const bool READS_TWO = false;
layout(constant_id = NEXT_SPEC + 5) const bool WRITES_TWO = false;
layout(constant_id = NEXT_SPEC + 6) const uint COLUMNS = 1u;
#include "families/fft_turn.glsl"

#define MOST_OWN 128
const uint OWN = RADIX_0 * RADIX_1 * RADIX_2 * RADIX_3;
uint lane;  // of the group

uint place_in(uint point, uint column) { return captured * COLUMNS + column + point * push.span; }

// Lane p gets the points p, p + 8, and so on.
void read_points(uint at, inout PAIR own[2][MOST_OWN]) {
#ifndef DOUBLE
    if (COLUMNS > 1u) {
        [[unroll]] for (uint k = 0; k < OWN; k++) {
            uint point = 8 * k + lane;
            load_two(at + point * push.src_step, place_in(point, 0), place_in(point, 1), own[0][k], own[1][k]);
        }
        return;
    }
    if (READS_TWO) {
        [[unroll]] for (uint k = 0; k < OWN; k += 2) {
            uint point = 8 * k + 2 * lane;
            PAIR even, odd;
            load_two(at + point * push.src_step, place_in(point, 0), place_in(point + 1, 0), even, odd);
            [[unroll]] for (uint half_of = 0; half_of < 2; half_of++) {
                uint from = 4 * half_of + lane / 2;
                PAIR values[2] = PAIR[](subgroupShuffle(even, from), subgroupShuffle(odd, from));
                own[0][k + half_of] = lane % 2 == 0 ? values[0] : values[1];
            }
        }
        return;
    }
#endif
    [[unroll]] for (uint k = 0; k < OWN; k++) {
        uint point = 8 * k + lane;
        own[0][k] = load(at + point * push.src_step, place_in(point, 0));
    }
}

// All lanes read the same powers.
void stage(inout PAIR own[MOST_OWN], uint radix, uint before) {
    PAIR made[MOST_OWN];
    uint count = OWN / radix;
    [[unroll]] for (uint i = 0; i < count; i++) {
        PAIR u[MOST_RADIX], powers[MOST_RADIX];
        uint within = i % before;
        [[unroll]] for (uint p = 0; p < radix; p++) u[p] = own[i + p * count];
        if (before > 1) {
            read_powers(powers, radix, within * (OWN / (before * radix)) * 8 * push.span);
            turn(u, powers, radix);
        }
        transform(u, radix);
        [[unroll]] for (uint p = 0; p < radix; p++) made[i / before * before * radix + p * before + within] = u[p];
    }
    own = made;
}

void exchange_by(uint bit, inout PAIR u[MOST_RADIX]) {
    bool upper = (lane & bit) != 0;
    [[unroll]] for (uint k = 0; k < 8; k++) {
        if ((k & bit) == 0) {
            PAIR low = u[k], high = u[k + bit];
            PAIR got = subgroupShuffle(upper ? low : high, lane ^ bit);
            u[k] = upper ? got : low;
            u[k + bit] = upper ? high : got;
        }
    }
}

// What was number k in lane p becomes number p in lane k.
void exchange(inout PAIR u[MOST_RADIX]) {
    exchange_by(1, u);
    exchange_by(2, u);
    exchange_by(4, u);
}

void last_stage(uint at, uint column, PAIR own[MOST_OWN]) {
    const uint width = WRITES_TWO ? 2 : 1;
    [[unroll]] for (uint first = 0; first < OWN; first += 8 * width) {
        PAIR u[2][MOST_RADIX], powers[MOST_RADIX];
        uint item = first + lane * width;
        [[unroll]] for (uint c = 0; c < width; c++) {
            [[unroll]] for (uint k = 0; k < 8; k++) {
                uint i = first + k * width + c;
                u[c][k] = i < OWN ? own[i] : pair(ZERO, ZERO);
            }
            exchange(u[c]);
            read_powers(powers, 8, (item + c) * push.span);
            turn(u[c], powers, 8);
            transform(u[c], 8);
        }
        if (OWN % (8 * width) == 0 || item < OWN) {
            [[unroll]] for (uint p = 0; p < 8; p++) {
                uint point = p * OWN + item, to = at + point * push.dst_step;
#ifndef DOUBLE
                if (WRITES_TWO)
                    store_two(to, place_in(point, column), place_in(point + 1, column), u[0][p], u[1][p]);
                else
#endif
                    store(to, place_in(point, column), u[0][p]);
            }
        }
    }
}

void stages(uint at, uint column, PAIR own[MOST_OWN]) {
    stage(own, RADIX_0, 1);
    if (RADIX_1 > 1u) stage(own, RADIX_1, RADIX_0);
    if (RADIX_2 > 1u) stage(own, RADIX_2, RADIX_0 * RADIX_1);
    if (RADIX_3 > 1u) stage(own, RADIX_3, RADIX_0 * RADIX_1 * RADIX_2);
    last_stage(at, column, own);
}

void unit(uint n, bool whole) {
    PLACE at = place_of(n);
    lane = gl_LocalInvocationID.x;
    wide = push.span * 8 * OWN;
    PAIR own[2][MOST_OWN];
    read_points(at.x, own);
    if (COLUMNS == 1u) {
        stages(at.y, 0, own[0]);
        return;
    }
    // A loop, since drivers would take twice as long to compile both.
    [[dont_unroll]] for (uint column = 0; column < COLUMNS; column++) {
        stages(at.y + column * push.dst_next, column, own[0]);
        own[0] = own[1];
    }
}

void main() { run(); }
