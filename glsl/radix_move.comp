#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Moves elements to their places by a digit. Counts are where the next element of each digit goes, by chunk.
// What is written for an element is its FORM.
#define BASES src_base, counts_base, dst_base
#define FROM push.src_base
#include "families/radix.glsl"

// The elements of a quad, as long as there are any.
#if BITS < 32
#define EACH for (uint k = 0; k < min(PER, end - i); k++)
#else
#define EACH [[unroll]] for (uint k = 0; k < PER; k++) if (i + k < end)
#endif

#include "families/radix_forms.glsl"

layout(binding = 0) readonly buffer Src { uvec4 src[]; };
layout(binding = 0) readonly buffer SrcWords { uint src_words[]; };
layout(binding = 1) readonly buffer Counts { uint counts[]; };
layout(binding = 2) writeonly buffer Dst { uint dst[]; };

void put(uint at, uvec2 words) {
#if BITS == 64
    dst[2 * at] = words.x;
    dst[2 * at + 1] = words.y;
#else
    dst[at] = words.x;
#endif
}

void unit(uint n, bool whole) {
    uint group, row = divide(n, groups, groups_reciprocal, group);
    uint start = group * push.chunk, end = min(start + push.chunk, extent);
    uint counted = push.counts_base + row * DIGITS * groups + group;
    for (uint d = 0; d < DIGITS; d++) count[d] = counts[counted + d * groups];
    uint from = bases.x + row * (push.src_pitch / PER);
    uint places = 4 * bases.x + push.src_places + row * push.src_pitch;
    uint to = bases.y / (BITS == 64 && FORM <= AS_PLACED ? 2 : 1) + row * push.dst_pitch;
    uint to_places = bases.y + push.dst_places + row * push.dst_pitch;
    for (uint i = start; i < end; i += PER) {
        uvec4 quad = src[from + i / PER];
        EACH {
            uvec2 raw = raw_of(quad, k), key = ordered(raw);
            uint digit = digit_of(key), at = count[digit], place = i + k;
            count[digit] = at + 1;
            if (HAS_PLACES) place = src_words[places + i + k];
            if (FORM == AS_VALUE) put(to + at, raw);
            if (FORM == AS_PLACED) put(to + at, key);
            if (FORM == AS_PLACED) dst[to_places + at] = place;
            if (FORM == AS_PLACE) dst[to + at] = place;
            if (FORM == AS_JOINED) dst[to + at] = key.x >> 8 << 24 | place;
            if (FORM == AS_UNJOINED) dst[to + at] = raw.x & 0xffffffu;
        }
    }
}

void main() { run(); }
