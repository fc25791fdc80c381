// A pass of a radix sort: rows of `extent` elements, by one digit of their keys. A unit takes `chunk` elements
// of a row, one after the other. Elements are read in quads, at which rows start: BITS each, PER in a quad.
// Pitches count elements, of src and of what is written. Keys are made from elements of a TYPE, and `turned` is a mask that reverses their order.
#define MAX_RANK 1
#define EXTRA uint src_pitch, dst_pitch, chunk, src_places, dst_places, shift, turned;
#include "index/index.glsl"
#include "types/key.glsl"

#define DIGITS 256
#define PER (128 / BITS)

layout(constant_id = 4) const uint TYPE = UINT32;

#ifndef TEAM
uint count[DIGITS];
#endif

#if BITS == 64
uvec2 raw_of(uvec4 quad, uint k) { return uvec2(quad[2 * k], quad[2 * k + 1]); }
#elif BITS == 32
uvec2 raw_of(uvec4 quad, uint k) { return uvec2(quad[k], 0); }
#else
uvec2 raw_of(uvec4 quad, uint k) {
    return uvec2(quad[k / (32 / BITS)] >> k % (32 / BITS) * BITS & (1u << BITS) - 1, 0);
}
#endif

uvec2 ordered(uvec2 raw) { return key_of(raw, TYPE) ^ push.turned; }

uint digit_of(uvec2 key) {
    uint word = BITS == 64 && push.shift >= 32 ? key.y : key.x;
    return word >> (push.shift & 31) & DIGITS - 1;
}
