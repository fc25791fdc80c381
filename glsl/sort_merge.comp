#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Merges pairs of sorted runs of a row, a and b; of equal keys, those of a come first. A unit writes `chunk`
// elements, a divisor of two runs' length. It finds its start in both runs by bisection. Then it repeatedly
// merges the block that it holds with the next block of the run whose next key is less, writes the lesser
// half, and keeps the other.
#define BASES keys_base, places_base, merged_base, dst_base
#define FROM push.keys_base
#define HELD (2 * BLOCK)
#include "families/sort.glsl"

layout(binding = 0) readonly buffer Keys { KEY keys[]; };
layout(binding = 0) readonly buffer KeyQuads { uvec4 key_quads[]; };
layout(binding = 1) readonly buffer Places { uvec4 place_quads[]; };
layout(binding = 2) writeonly buffer Merged { uvec4 merged[]; };
layout(binding = 3) writeonly buffer Dst { uvec4 dst[]; };

// BLOCK elements of `quads` from `at` on, which need not be the start of a quad: one more quad is read, and
// the elements are moved by two and by one. Nothing after element `most` is read.
#define READ(near, quads, base, per)                                                                \
    uvec4 near[BLOCK / per + 1];                                                                    \
    [[unroll]] for (uint k = 0; k <= BLOCK / per; k++)                                              \
        near[k] = quads[(base + min(at + k * per, most)) / per];                                    \
    [[unroll]] for (uint k = 0; per == 4 && k <= BLOCK / per; k++) {                                \
        uvec4 quad = near[k], next = near[min(k + 1, BLOCK / per)];                                 \
        near[k] = mix(quad, uvec4(quad.zw, next.xy), bvec4((at & 2) != 0));                         \
    }                                                                                               \
    [[unroll]] for (uint k = 0; k < BLOCK / per; k++) {                                             \
        uvec4 quad = near[k], next = near[k + 1];                                                   \
        uvec4 moved = per == 4 ? uvec4(quad.yzw, next.x) : uvec4(quad.zw, next.xy);                 \
        near[k] = mix(quad, moved, bvec4((at & 1) != 0));                                           \
    }

// Load the next block of a run into the upper half; past the run's end, with LAST.
void load(uint at, uint end, uint most) {
    READ(near, key_quads, bases.x, PER)
    READ(near_places, place_quads, push.places_base, 4)
    [[unroll]] for (uint k = 0; k < BLOCK; k++) {
        KEY a = GET(near[k / PER], k % PER), none = KEY(LAST);
        uint p = near_places[k / 4][k % 4];
        bool there = at + k < end;
        key[BLOCK + k] = there ? a : none;
        place[BLOCK + k] = there ? p : LAST;
    }
}

void unit(uint n, bool whole) {
    uint group, row = divide(n, groups, groups_reciprocal, group);
    uint start = group * push.chunk, first = start & ~(2 * push.run - 1), done = start - first;
    uint a_count = min(push.run, extent - first), b_count = min(push.run, extent - first - a_count);
    uint a = row * push.pitch + first, b = a + a_count, to = a + done;
    uint a_end = b, b_end = b + b_count, most = b_end - 1, stop = min(to + push.chunk, b_end);
    uint low = done - min(done, b_count), high = min(done, a_count);
    while (low < high) {
        uint middle = (low + high) / 2;
        KEY x = keys[bases.x + a + middle], y = keys[bases.x + b + done - 1 - middle];
        bool before = !key_less(y, x);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    a += low;
    b += done - low;
    load(a, a_end, most);
    a += BLOCK;
    for (bool from_a = false; to < stop; to += BLOCK) {
        [[unroll]] for (uint k = 0; k < BLOCK; k++) {
            key[k] = key[BLOCK + k];
            place[k] = place[BLOCK + k];
        }
        load(from_a ? a : b, from_a ? a_end : b_end, most);
        a += from_a ? BLOCK : 0;
        b += from_a ? 0 : BLOCK;
        compare(16, 31);
        compare(8, 8);
        compare(4, 4);
        compare(2, 2);
        compare(1, 1);
        [[unroll]] for (uint k = 0; k < BLOCK; k += PER) {
            uvec4 quad;
            [[unroll]] for (uint i = 0; i < PER; i++) PUT(quad, i, key[k + i]);
            if (to + k < stop) merged[(push.merged_base + to + k) / PER] = quad;
        }
        [[unroll]] for (uint k = 0; k < BLOCK; k += 4) {
            uvec4 quad = uvec4(place[k], place[k + 1], place[k + 2], place[k + 3]);
            if (to + k < stop) dst[(bases.y + to + k) / 4] = quad;
        }
        KEY x = keys[bases.x + min(a, most)], y = keys[bases.x + min(b, most)];
        from_a = a < a_end && (b >= b_end || !key_less(y, x));
    }
}

void main() { run(); }
