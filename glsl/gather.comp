#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Elements of src by index: each is read index * STRIDE away from its own place. With PLACES, src has words,
// to which index * STRIDE is added: this combines several indexes into one. With CHECKED, a word becomes 1 if an
// index is outside of SIZE.
#define SOURCES 2
#define FROM push.index_base, push.src_base
#define EXTRA uint scalars[4];
#ifdef CHECKED
#define BASES index_base, src_base, flag_base, dst_base
#define MAX_RANK 4
#define DST 3
#else
#define BASES index_base, src_base, dst_base
#define MAX_RANK 5
#define DST 2
#endif
#include "index/index.glsl"

#define STRIDE push.scalars[0]
#define SIZE push.scalars[1]
// With SPLIT, an index is one over several dims, of which only one is used: its size is COUNT, and the
// product of the sizes of the inner ones is INNER.
#define INNER push.scalars[2]
#define COUNT push.scalars[3]
#include "families/gather.glsl"

#if BITS < 32
#include "index/packed.glsl"
#define T uint
#else
#include "index/words.glsl"
#endif

layout(constant_id = NEXT_SPEC) const uint INDEX_TYPE = UINT32;
layout(constant_id = NEXT_SPEC + 1) const bool SPLIT = false;

#define VALUE uint
#define SCALARS 0
struct Values {
    uint at[PER];
};

uint to_value(uvec2 words) { return words.x; }

#ifdef CHECKED
layout(binding = 2) buffer Flag { uint flag[]; };
#endif

uint decode(uvec2 raw, uint type) {
#ifdef CHECKED
    if (is_outside(raw, type)) atomicOr(flag[push.flag_base], 1);
#endif
    uint at = index_from_start(raw, type);
    if (SPLIT) at = at / INNER % COUNT;
    return at * STRIDE;
}

#define SOURCE 0
#define SOURCE_TYPE INDEX_TYPE
#define NAMED(name) index_##name
#include "families/source.glsl"

layout(binding = 1) readonly buffer Src { T src[]; };

T element(uint at, uint far) {
#ifdef PLACES
    return src[at] + far;
#elif BITS < 32
    at += far;
    return src[at / PER_WORD] >> at % PER_WORD * BITS & ONE;
#else
    return src[at + far];
#endif
}

T make(PLACE at) { return element(at.y, index_element(at)); }

void start_row(PLACE at) { index_start(at); }

#if BITS < 32
uvec4 make_quad(PLACE row, uint quad, uint phase, bool whole, uvec4 mask) {
    if (!whole) return gathered_quad(row, quad, phase, mask);
    start_row(row);
    PLACE at = row + (quad * PER - phase) * row_step();
    Values far = index_row(at);
    uvec4 made = uvec4(0);
    [[unroll]] for (uint k = 0; k < PER; k++)
        made[k / PER_WORD] |= element(at.y + k * row_step().y, far.at[k]) << k % PER_WORD * BITS;
    return made;
}
#elif BITS == 128
uvec4 make_quad(PLACE at) {
    return element(at.y, index_is_still() ? index_still : index_element(at));
}
#else
uvec4 make_quad(PLACE at) {
    Values far = index_row(at);
    uvec4 quad;
    [[unroll]] for (uint k = 0; k < PER; k++) { PUT(quad, k, element(at.y + k * row_step().y, far.at[k])); }
    return quad;
}
#endif

void main() { run(); }
