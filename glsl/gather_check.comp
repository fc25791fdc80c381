#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Set a word to 1 if any index is out of range for `size`.
#define BASES index_base, dst_base
#define FROM push.index_base
#define MAX_RANK 7
#define EXTRA uint size;
#include "index/index.glsl"
#include "index/row.glsl"

#define SIZE push.size
#include "families/gather.glsl"

layout(constant_id = 8) const uint INDEX_TYPE = INT64;
layout(constant_id = 9) const bool QUADS = false;  // whole units are read by quads, 16 bytes, without gaps

layout(binding = 0) readonly buffer Index { uint index[]; };
layout(binding = 0) readonly buffer IndexQuads { uvec4 quads[]; };
layout(binding = 1) buffer Dst { uint dst[]; };

uvec2 raw_index(uint at) {
    uint bits = bits_of(INDEX_TYPE);
    if (bits == 64) return uvec2(index[2 * at], index[2 * at + 1]);
    if (bits == 32) return uvec2(index[at], 0);
    return uvec2(index[at / (32 / bits)] >> at % (32 / bits) * bits & (1u << bits) - 1, 0);
}

// For elements of 32 or 64 bits, four at a time: negative ones are compared by their complement.
bool any_outside(uint at) {
    bool wide = bits_of(INDEX_TYPE) == 64;
    uint from = wide ? at / 2 : at / 4;
    uvec4 outside = uvec4(0);
    for (uint i = 0; i < UNIT; i += 4) {
        uvec4 low = quads[from++], high = low;
        if (wide) {
            uvec4 next = quads[from++];
            low = uvec4(high.xz, next.xz);
            high = uvec4(high.yw, next.yw);
        }
        uvec4 sign = is_signed_int(INDEX_TYPE) ? uvec4(ivec4(high) >> 31) : uvec4(0);
        if (wide) outside |= high ^ sign;
        outside |= uvec4(greaterThanEqual(low ^ sign, uvec4(SIZE)));
    }
    return outside != uvec4(0);
}

void unit(uint n, bool whole) {
    bool outside = false;
    if (QUADS && whole)
        outside = any_outside(bases.x + n * UNIT);
    else {
        Walk walk = walk_from(bases, n * UNIT);
        for (uint i = n * UNIT; i < min(n * UNIT + UNIT, extent); i++) {
            outside = is_outside(raw_index(walk.place.x), INDEX_TYPE) || outside;
            step(walk);
        }
    }
    // A loop of one iteration or none: a CPU executes a branch even if no lane takes it.
    for (; outside; outside = false) atomicOr(dst[bases.y], 1);
}

void main() { run(); }
