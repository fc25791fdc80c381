#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Elements of src, each written index * stride away from its own place in dst. With CLAIMED, only the winners
// of the last-writer election are written: by their index, or by another word.
#define SOURCES 2
#define BASES index_base, src_base, owner_base, dst_base
#define FROM push.index_base, push.src_base
#define MAX_RANK 5
#define EXTRA uint stride, claims_at;
#include "index/index.glsl"
#include "index/row.glsl"

layout(constant_id = 8) const uint CLAIMED = 1;
#define BY_NONE 0
#define BY_PLACE 1
#define BY_CELL 2  // by the word that is `claims_at` after the index

#if BITS < 32
#define T uint
#define PER_WORD (32 / BITS)
#define ONE ((1u << BITS) - 1)
#endif
layout(binding = 0) readonly buffer Index { uint index[]; };
layout(binding = 1) readonly buffer Src { T src[]; };
layout(binding = 2) readonly buffer Owner { uint owner[]; };
layout(binding = 3) buffer Dst { T dst[]; };

T load(uint at) {
#if BITS < 32
    return src[at / PER_WORD] >> at % PER_WORD * BITS & ONE;
#else
    return src[at];
#endif
}

void store(uint at, T value) {
#if BITS < 32
    uint place = at % PER_WORD * BITS;
    // Other invocations may change the rest of the word at the same time.
    atomicAnd(dst[at / PER_WORD], ~(ONE << place));
    atomicOr(dst[at / PER_WORD], value << place);
#else
    dst[at] = value;
#endif
}

void unit(uint n, bool whole) {
    Walk walk = walk_from(bases, n * UNIT);
    for (uint i = n * UNIT; i < min(n * UNIT + UNIT, extent); i++) {
        uint at = walk.place.x, far = index[at], cell = far;
        if (CLAIMED == BY_CELL) cell = index[at += push.claims_at];
        bool wins = CLAIMED == BY_NONE || owner[push.owner_base + cell] == at + 1;
        T value = load(walk.place.y);  // even if not needed: a CPU executes both sides of a branch
        if (wins) store(walk.place.z + far * push.stride, value);
        step(walk);
    }
}

void main() { run(); }
