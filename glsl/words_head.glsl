// Rows whose elements are whole words: WORDS of them, 1, 2 or 4. The includer defines DST, a binding,
// `T load(uint at)`, and `uvec4 load_quad(uint at)` for 16 bytes that start at a multiple of 16.
#include "row_head.glsl"

layout(constant_id = 8) const bool SRC_QUADS = false;  // rows start at a multiple of 16 bytes in src
layout(constant_id = 9) const bool DST_QUADS = false;  // and in dst
#define NEXT_SPEC 10

#define PER (4 / WORDS)  // elements in 16 bytes
#if WORDS == 1
#define PUT(quad, k, element) quad[k] = element
#define GET(quad, k) quad[k]
#elif WORDS == 2
#define PUT(quad, k, element) quad[2 * k] = element.x, quad[2 * k + 1] = element.y
#define GET(quad, k) uvec2(quad[2 * k], quad[2 * k + 1])
#else
#define PUT(quad, k, element) quad = element
#define GET(quad, k) quad
#endif

layout(binding = DST) writeonly buffer Dst { T dst[]; };
layout(binding = DST) writeonly buffer DstQuads { uvec4 dst_quads[]; };

void rest_of_row(uint row) {
    uint begin = extent - extent % UNIT;
    Walk walk = walk_from(row_bases(row), begin);
    for (uint i = begin; i < extent; i++) {
        dst[walk.dst] = load(walk.src);
        step(walk);
    }
}

void whole_unit(uint row, uint group) {
    Walk walk = walk_from(row_bases(row), group * UNIT);
    T same = T(0);
    if (STEP == 0) same = load(walk.src);
    for (uint i = 0; i < UNIT; i += PER) {
        Walk ahead = walk;
        uvec4 quad;
        if (STEP == 1 && SRC_QUADS) quad = load_quad(walk.src);
        for (uint k = 0; k < PER; k++) {
            if (STEP == 0) { PUT(quad, k, same); }
            if (STEP == 2 || STEP == 1 && !SRC_QUADS) { PUT(quad, k, load(walk.src)); }
            if (!DST_QUADS) dst[walk.dst] = GET(quad, k);
            step(walk);
        }
        if (DST_QUADS) dst_quads[ahead.dst / PER] = quad;
    }
}

void unit(uint n, bool whole) {
    uint group = n, row = 0;
    if (RUN < RANK) row = divide(n, groups, groups_reciprocal, group);
    if (whole)
        whole_unit(row, group);
    else
        rest_of_row(n - push.whole);
}
