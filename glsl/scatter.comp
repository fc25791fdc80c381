#version 450
#extension GL_GOOGLE_include_directive : require
// Elements of src, each written so far from its place in dst as an index tells: index * stride. Where
// CLAIMED, only those are whose index, or the word `apart` from it, has got what it claimed.
#define SOURCES 2
#define BASES index_base, src_base, owner_base, dst_base
#define FROM push.index_base, push.src_base
#define MAX_RANK 5
#define EXTRA uint stride, apart;
#include "index_head.glsl"
#include "row_head.glsl"

layout(constant_id = 8) const bool CLAIMED = true;

#if BITS < 32
#define T uint
#define PER_WORD (32 / BITS)
#define ONE ((1u << BITS) - 1)
#endif
layout(binding = 0) readonly buffer Index { uint index[]; };
layout(binding = 1) readonly buffer Src { T src[]; };
layout(binding = 2) readonly buffer Owner { uint owner[]; };
layout(binding = 3) buffer Dst { T dst[]; };

void move(uint from, uint to) {
#if BITS < 32
    uint place = to % PER_WORD * BITS, by = from % PER_WORD * BITS;
    uint value = src[from / PER_WORD] >> by & ONE;
    // Others may change the rest of the word meanwhile.
    atomicAnd(dst[to / PER_WORD], ~(ONE << place));
    atomicOr(dst[to / PER_WORD], value << place);
#else
    dst[to] = src[from];
#endif
}

void unit(uint n, bool whole) {
    Walk walk = walk_from(bases, n * UNIT);
    for (uint i = n * UNIT; i < min(n * UNIT + UNIT, extent); i++) {
        uint at = walk.place.x;
        bool wins = true;
        if (CLAIMED) wins = owner[push.owner_base + index[at + push.apart]] == at + push.apart + 1;
        if (wins) move(walk.place.y, walk.place.z + index[at] * push.stride);
        step(walk);
    }
}

void main() { run(); }
