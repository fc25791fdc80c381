// Kernels that compute each element from those at the same index in up to three sources. BITS is the size
// of dst's elements; TILE is defined for tiles. The includer defines SOURCES and `compute`, and includes
// one of types/*_values.glsl, which define VALUE, the type of the computation, `decode` and `encode`. With
// WIDE, elements may have up to 128 bits.

// Scalars take the part of the 128 bytes that the dims leave.
#if SOURCES == 1
#define BASES a_base, dst_base
#define FROM push.a_base
#define MAX_RANK 7
#define EXTRA uint scalars[4];
#elif SOURCES == 2
#define BASES a_base, b_base, dst_base
#define FROM push.a_base, push.b_base
#define MAX_RANK 5
#define EXTRA uint scalars[4];
#else
#define BASES a_base, b_base, c_base, dst_base
#define FROM push.a_base, push.b_base, push.c_base
#define MAX_RANK 4
#define EXTRA uint scalars[3];
#endif
#define DST SOURCES
layout(binding = DST) readonly buffer Arguments { uint arguments[]; };
#define ARGUMENTS arguments
#include "index/index.glsl"

#ifdef RARE
bool rare = false;  // the last quad is invalid: its elements must be computed one by one
#endif

#if BITS == 128
#define T uvec4
#define WORDS 4
#elif BITS == 64
#define T uvec2
#define WORDS 2
#else
#define T uint
#define WORDS 1
#endif
#ifdef TILE
#define PER 4
#define ACROSS 4
#include "index/tile.glsl"
layout(binding = DST) writeonly buffer Dst { uint dst[]; };
layout(binding = DST) writeonly buffer DstQuads { uvec4 dst_quads[]; };
#elif BITS < 32
#include "index/packed.glsl"
#else
#include "index/words.glsl"
#endif

layout(constant_id = NEXT_SPEC) const uint OP = 0;
layout(constant_id = NEXT_SPEC + 1) const uint BEFORE = 0;   // the operation on `a` before OP
layout(constant_id = NEXT_SPEC + 2) const uint SCALARS = 0;  // a bit for each source that is a scalar
layout(constant_id = NEXT_SPEC + 3) const uint TYPE = FLOAT32;    // of dst
layout(constant_id = NEXT_SPEC + 4) const uint COMMON = FLOAT32;  // the type of the computation
layout(constant_id = NEXT_SPEC + 5) const uint A_TYPE = FLOAT32;
#if SOURCES > 1
layout(constant_id = NEXT_SPEC + 6) const uint B_TYPE = FLOAT32;
#endif
#if SOURCES > 2
layout(constant_id = NEXT_SPEC + 7) const uint C_TYPE = FLOAT32;
#endif

struct Values {
    VALUE at[PER];
};

#ifdef TILE
struct Tile {
    Values rows[PER];
};
#endif

#define SOURCE 0
#define SOURCE_TYPE A_TYPE
#define NAMED(name) a_##name
#include "families/source.glsl"
#if SOURCES > 1
#define SOURCE 1
#define SOURCE_TYPE B_TYPE
#define NAMED(name) b_##name
#include "families/source.glsl"
#endif
#if SOURCES > 2
#define SOURCE 2
#define SOURCE_TYPE C_TYPE
#define NAMED(name) c_##name
#include "families/source.glsl"
#endif

#ifdef RARE
// A few rare values may take much longer than the others, and a CPU would execute the slow branch for all.
// So quads are computed for common values; those with rare ones are not stored, but computed by `make` later.
bool any_rare(Values a);
RESULT compute_common(VALUE a);
#endif

// READ calls the function `get` of each source, and COMPUTE computes with the results.
#if SOURCES == 1
RESULT compute(VALUE a);
#define READ(VALUES, get) VALUES a_read = a_##get
#define COMPUTE(get) encode(compute(a_##get), TYPE)
#elif SOURCES == 2
RESULT compute(VALUE a, VALUE b);
#define READ(VALUES, get) VALUES a_read = a_##get, b_read = b_##get
#define COMPUTE(get) encode(compute(a_##get, b_##get), TYPE)
#else
RESULT compute(VALUE a, VALUE b, VALUE c);
#define READ(VALUES, get) VALUES a_read = a_##get, b_read = b_##get, c_read = c_##get
#define COMPUTE(get) encode(compute(a_##get, b_##get, c_##get), TYPE)
#endif

#ifdef TILE
void whole_unit(PLACE at, uint down, bool needed) {
    READ(Tile, tile(at, down));
    for (uint i = 0; i < PER; i++) {
        uvec4 piece;
        for (uint k = 0; k < ACROSS; k++) piece[k] = COMPUTE(read.rows[i].at[k]).x;
        if (!RAGGED || needed && down + i < sizes[1]) {
            uint to = at[DST] + (down + i) * strides[1][DST];
            if (DST_PIECES)
                dst_quads[to / ACROSS] = piece;
            else
                for (uint k = 0; k < ACROSS; k++) dst[to + k * strides[0][DST]] = piece[k];
        }
    }
}

void narrow_unit(PLACE at, uint down) {
    for (uint i = down; i < min(down + PER, sizes[1]); i++)
        for (uint k = 0; k < sizes[0] % ACROSS; k++) {
            PLACE place = at + k * strides[0] + i * strides[1];
            dst[place[DST]] = COMPUTE(element(place)).x;
        }
}
#else
struct Results {
    RAW at[PER];
};

void start_row(PLACE at) {
    a_start(at);
#if SOURCES > 1
    b_start(at);
#endif
#if SOURCES > 2
    c_start(at);
#endif
}

Results row_results(PLACE at) {
    READ(Values, row(at));
    Results results;
#ifdef RARE
    rare = any_rare(a_read);
    for (uint k = 0; k < PER; k++) results.at[k] = encode(compute_common(a_read.at[k]), TYPE);
#else
    uint k = 0;
    do results.at[k] = COMPUTE(read.at[k]);
    while (++k < PER);
#endif
    return results;
}

T make(PLACE at) { return T(COMPUTE(element(at))); }

#if BITS < 32
uvec4 make_quad(PLACE row, uint quad, uint phase, bool whole, uvec4 mask) {
    if (!whole) return gathered_quad(row, quad, phase, mask);
    start_row(row);
    Results results = row_results(row + (quad * PER - phase) * row_step());
    uvec4 made = uvec4(0);
    for (uint k = 0; k < PER; k++) made[k / PER_WORD] |= results.at[k].x << k % PER_WORD * BITS;
#ifdef RARE
    for (uint k = 0; rare; rare = ++k < PER) {
        uint place = k % PER_WORD * BITS;
        uvec4 ones = uvec4(equal(uvec4(0, 1, 2, 3), uvec4(k / PER_WORD))) * (ONE << place);
        uint element = make(row + (quad * PER - phase + k) * row_step());
        made = made & ~ones | element << place & ones;
    }
#endif
    return made;
}
#else
uvec4 make_quad(PLACE at) {
    Results results = row_results(at);
    uvec4 quad;
    for (uint k = 0; k < PER; k++) { PUT(quad, k, T(results.at[k])); }
    return quad;
}
#endif
#endif
