#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Moves elements to their places by a digit. A workgroup sorts a tile by it in shared memory, twice by four bits, so
// that elements of one digit are written side by side. Counts are where those of each digit and tile go, among
// all of that digit, and last how many these are.
#define BASES src_base, counts_base, dst_base
#define FROM push.src_base
#include "families/radix_team.glsl"
#include "families/radix_forms.glsl"
layout(constant_id = 7) const uint KNOWN = 0;  // of other tiles of a row
#define ALONE 0  // there are none
#define FEW 1    // Counts are as often as a digit occurs in each tile

layout(binding = 1) readonly buffer Counts { uint counts[]; };
layout(binding = 2) writeonly buffer Dst { uint dst[]; };
#if BITS == 64
layout(binding = 2) writeonly buffer DstPairs { uvec2 dst_pairs[]; };
#endif

shared uint pool[K * 256];
shared uint targets[DIGITS];  // where elements of a digit go, less where they begin in the tile
#define SUMS(i) pool[9 * 256 + (i)]
#include "index/team_sums.glsl"

uint id, there, per;        // elements of the tile, and of an invocation
uint items[K], places[K];   // a digit above a position in the tile; and where it goes in the tile

// Counts of an invocation's digits of four bits are halves of eight words, and lie so that those of all invocations
// are in the order of digits, then of invocations: by halves. Each ninth word is unused, for the sake of banks.
uint counter(uint digit) {
    uint word = (digit & 7) * LANES + id;
    return word + word / 8;
}

// Sort the items of the pool by four bits. Each invocation takes `per` adjacent ones.
void sort_by(uint shift) {
    [[unroll]] for (uint k = 0; k < K; k++) if (k < per) items[k] = pool[id * per + k];
    meet();
    [[unroll]] for (uint d = 0; d < 8; d++) pool[counter(d)] = 0;
    [[unroll]] for (uint k = 0; k < K; k++) {
        if (k < per) {
            uint digit = items[k] >> shift & 15, upper = digit >> 3 << 4;
            uint before = pool[counter(digit)];
            places[k] = before >> upper & 0xffffu;
            pool[counter(digit)] = before + (1u << upper);
        }
    }
    meet();
    uint sum = 0, all;
    [[unroll]] for (uint j = 0; j < 8; j++) sum += pool[9 * id + j];
    uint before = sum_before(sum, all);
    before += all << 16;  // Digits from 8 on come after all others.
    [[unroll]] for (uint j = 0; j < 8; j++) {
        uint count = pool[9 * id + j];
        pool[9 * id + j] = before;
        before += count;
    }
    meet();
    [[unroll]] for (uint k = 0; k < K; k++) {
        if (k < per) {
            uint digit = items[k] >> shift & 15, upper = digit >> 3 << 4;
            places[k] += pool[counter(digit)] >> upper & 0xffffu;
        }
    }
    meet();
    [[unroll]] for (uint k = 0; k < K; k++) if (k < per) pool[places[k]] = items[k];
    meet();
}

// How many elements of a digit there are in a row, and before those in this tile.
uint total_of(uint at, uint group, out uint here) {
    here = 0;
    if (KNOWN != FEW) {
        here = counts[at + group];
        return counts[at + groups];
    }
    uint sum = 0;
    for (uint g = 0; g < groups; g++) {
        if (g == group) here = sum;
        sum += counts[at + g];
    }
    return sum;
}

// Find out where the digits of a row go that are in this tile.
void find_targets(uint row, uint group) {
    uint each = DIGITS / LANES, pitch = groups + 1;
    uint first = push.counts_base + (row * DIGITS + id * each) * pitch;
    uint sum = 0, all, here;
    for (uint d = 0; d < each; d++) sum += total_of(first + d * pitch, group, here);
    uint before = sum_before(sum, all);
    for (uint d = 0; d < each; d++) {
        uint total = total_of(first + d * pitch, group, here);
        targets[id * each + d] = before + here;
        before += total;
    }
}

uint words[K];  // of the elements of an invocation, by their positions in the tile; then in their new order

void exchange() {
    meet();
    [[unroll]] for (uint k = 0; k < K; k++) pool[k * LANES + id] = words[k];
    meet();
    [[unroll]] for (uint k = 0; k < K; k++) if (k < per) words[k] = pool[items[k] & 0xffffu];
}

uint target_of(uint k) { return k * LANES + id + (KNOWN == ALONE ? 0 : targets[items[k] >> 16]); }

void unit(uint n, bool whole) {
    uint group, row = divide(n, groups, groups_reciprocal, group), start = group * push.chunk;
    id = gl_LocalInvocationID.x;
    there = min(push.chunk, extent - start);
    per = (there + LANES - 1) / LANES;
    uint from = bases.x + row * (push.src_pitch / PER);
    if (KNOWN != ALONE) find_targets(row, group);
    meet();
    uvec2 raw[K];
    [[unroll]] for (uint k = 0; k < K; k++) {
        uint i = k * LANES + id, digit = DIGITS - 1;
        raw[k] = uvec2(0);
        if (i < there) {
            raw[k] = raw_at(from, start + i);
            digit = digit_of(ordered(raw[k]));
        }
        pool[i] = digit << 16 | i;
    }
    meet();
    sort_by(16);
    sort_by(20);
    [[unroll]] for (uint k = 0; k < K; k++) items[k] = pool[k * LANES + id];
    if (KNOWN != ALONE) {
        [[unroll]] for (uint k = 0; k < K; k++) {
            uint i = k * LANES + id, digit = items[k] >> 16;
            if (i < there && (i == 0 || pool[max(i, 1) - 1] >> 16 != digit)) targets[digit] -= i;
        }
        meet();
    }

    uint to = bases.y / (BITS == 64 && FORM <= AS_PLACED ? 2 : 1) + row * push.dst_pitch;
    if (FORM == AS_VALUE || FORM == AS_PLACED || FORM == AS_UNJOINED) {
        [[unroll]] for (uint k = 0; k < K; k++) {
            if (FORM == AS_PLACED) raw[k] = ordered(raw[k]);
            words[k] = FORM == AS_UNJOINED ? raw[k].x & 0xffffffu : raw[k].x;
        }
        exchange();
#if BITS == 64
        uint lower[K];
        [[unroll]] for (uint k = 0; k < K; k++) { lower[k] = words[k]; words[k] = raw[k].y; }
        exchange();
        [[unroll]] for (uint k = 0; k < K; k++)
            if (k * LANES + id < there) dst_pairs[to + target_of(k)] = uvec2(lower[k], words[k]);
#else
        [[unroll]] for (uint k = 0; k < K; k++)
            if (k * LANES + id < there) dst[to + target_of(k)] = words[k];
#endif
    }
    if (FORM == AS_PLACED || FORM == AS_PLACE || FORM == AS_JOINED) {
        uint first = 4 * bases.x + push.src_places + row * push.src_pitch + start;
        [[unroll]] for (uint k = 0; k < K; k++) {
            uint i = k * LANES + id;
            words[k] = HAS_PLACES && i < there ? src_words[first + i] : start + i;
            if (FORM == AS_JOINED) words[k] |= ordered(raw[k]).x >> 8 << 24;
        }
        if (FORM == AS_JOINED || HAS_PLACES)
            exchange();
        else
            [[unroll]] for (uint k = 0; k < K; k++) words[k] = start + (items[k] & 0xffffu);
        uint to = bases.y + row * push.dst_pitch + (FORM == AS_PLACED ? push.dst_places : 0);
        [[unroll]] for (uint k = 0; k < K; k++)
            if (k * LANES + id < there) dst[to + target_of(k)] = words[k];
    }
}

void main() { run(); }
