#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Sums of products of float32, one for each row of b, whose terms are adjacent: a matrix by a vector. A unit is a
// block of rows that a workgroup does together, MEMBERS invocations each. They read PIECE terms of as many runs at a
// time, neighbours side by side, round the products into shared memory, and then each adds those of a run of its own.
// So no invocation waits for memory that is far from its neighbours', and the order of sums stays.
#define TEAM
#include "types/float_values.glsl"
#define NOTHING uintBitsToFloat(0x80000000u)  // -0: adding it changes no number, not even +0 or -0
#include "families/matmul.glsl"

layout(constant_id = 4) const uint MEMBERS = 8;  // a power of two, at most RUN_OF_SUM
layout(constant_id = 5) const uint PIECE = 16;   // a divisor of RUN_OF_SUM, and a multiple of four
layout(constant_id = 6) const bool A_QUADS = false;
layout(constant_id = 7) const bool B_QUADS = false;
layout(constant_id = 8) const uint A_TYPE = FLOAT32;
layout(constant_id = 9) const uint B_TYPE = FLOAT32;
layout(constant_id = 10) const bool MORE = false;  // add to dst, which has the sums of the terms before

#define SOURCE 0
#define SOURCE_TYPE A_TYPE
#define NAMED(name) a_##name
#include "families/matmul_element.glsl"
#include "families/matmul_run.glsl"
#undef SOURCE
#undef SOURCE_TYPE
#undef NAMED
#define SOURCE 1
#define SOURCE_TYPE B_TYPE
#define NAMED(name) b_##name
#include "families/matmul_element.glsl"
#include "families/matmul_run.glsl"

layout(binding = DST_BINDING) buffer Dst { uint dst[]; };

#include "families/matmul_sum.glsl"

const uint ROWS = LANES / MEMBERS;   // of a block
const uint QUADS = PIECE / 4;        // of a piece, and that an invocation reads at a time
const uint APART = PIECE + 1;        // so that those that add runs do not meet in a bank
const uint STEP = MEMBERS * RUN_OF_SUM;

shared float products[LANES * APART];
shared float runs[ROWS * RUN_OF_SUM];
float next[QUADS][4];  // elements of b

void meet() {
    memoryBarrierShared();
    barrier();
}

// Past the last term, that one is read again.
float[4] a_four(uint base, uint term) {
    if (A_QUADS) return a_run(base + min(term, push.depth - 4));
    float four[4];
    [[unroll]] for (uint i = 0; i < 4; i++) four[i] = a_element(base + min(term + i, push.depth - 1) * push.a_step);
    return four;
}

float[4] b_four(uint base, uint term) {
    if (B_QUADS) return b_run(base + min(term, push.depth - 4));
    float four[4];
    [[unroll]] for (uint i = 0; i < 4; i++) four[i] = b_element(base + min(term + i, push.depth - 1) * push.b_step);
    return four;
}

// The runs and their terms that an invocation reads, quad i of those from `start` on.
uint run_of(uint i) { return (i * MEMBERS + gl_LocalInvocationID.x % MEMBERS) / QUADS; }
uint term_of(uint start, uint i) {
    return start + run_of(i) * RUN_OF_SUM + (i * MEMBERS + gl_LocalInvocationID.x) % QUADS * 4;
}

void unit(uint n, bool whole) {
    uint member = gl_LocalInvocationID.x % MEMBERS, own = gl_LocalInvocationID.x / MEMBERS, block;
    uint left = divide(n, groups, groups_reciprocal, block);
    uint row = block * ROWS + own;
    PLACE at = bases + min(row, sizes[0] - 1) * strides[0];
    [[unroll]] for (uint k = 1; k < RANK; k++) at += take(left, k) * strides[k];
    [[unroll]] for (uint i = 0; i < QUADS; i++) next[i] = b_four(at.y, term_of(0, i));
    for (uint start = 0; start < push.depth; start += STEP) {
        float run = NOTHING;
        for (uint piece = 0; piece < RUN_OF_SUM; piece += PIECE) {
            meet();  // after the last products have been read
            [[unroll]] for (uint i = 0; i < QUADS; i++) {
                uint term = term_of(start + piece, i);
                uint to = (own * MEMBERS + run_of(i)) * APART + term % PIECE;
                float four[4] = a_four(at.x, term);
                [[unroll]] for (uint j = 0; j < 4; j++)
                    products[to + j] = term + j < push.depth ? times(four[j], next[i][j]) : NOTHING;
            }
            meet();
            uint after = piece + PIECE < RUN_OF_SUM ? start + piece + PIECE : start + STEP;
            if (after < push.depth)
                [[unroll]] for (uint i = 0; i < QUADS; i++) next[i] = b_four(at.y, term_of(after, i));
            [[unroll]] for (uint i = 0; i < PIECE; i++) run = plus(run, products[gl_LocalInvocationID.x * APART + i]);
        }
        runs[own * RUN_OF_SUM + start / RUN_OF_SUM + member] = run;
    }
    meet();
    if (member == 0 && row < sizes[0]) {
        float sum = NOTHING;
        for (uint i = 0; i < (push.depth + RUN_OF_SUM - 1) / RUN_OF_SUM; i++)
            sum = plus(sum, runs[own * RUN_OF_SUM + i]);
        dst[at.z] = floatBitsToUint(MORE ? plus(uintBitsToFloat(dst[at.z]), sum) : sum);
    }
}

void main() { run(); }
