// Rows whose elements are WORDS whole words, 1, 2 or 4. The includer defines the binding DST,
// `T make(PLACE at)`, and `uvec4 make_quad(PLACE at)` for PER elements of a row that is one dim;
// `start_row` is called before.
#include "index/row.glsl"

// A driver keeps the loop over the quads of a unit if its body is long, which makes a CPU slower, so the
// includer may define UNROLL as [[unroll]].
#ifndef UNROLL
#define UNROLL
#endif
// If RARE is defined and `make_quad` sets `rare`, its result is not stored.
#ifdef RARE
#define UNLESS_RARE if (!rare)
#else
#define UNLESS_RARE
#endif

layout(constant_id = 8) const uint SRC_QUADS = 0;  // a bit for each source: rows start at quads
layout(constant_id = 9) const uint DST_QUADS = 0;  // see index/quads.glsl
#define NEXT_SPEC 10
#include "index/quads.glsl"

#define PER (4 / WORDS)  // elements in a quad, 16 bytes
#if WORDS == 1
#define PUT(quad, k, element) quad[k] = element
#define GET(quad, k) quad[k]
#elif WORDS == 2
#define PUT(quad, k, element) { uvec2 put = element; quad[2 * k] = put.x, quad[2 * k + 1] = put.y; }
#define GET(quad, k) uvec2(quad[2 * k], quad[2 * k + 1])
#else
#define PUT(quad, k, element) quad = element
#define GET(quad, k) quad
#endif

layout(binding = DST) writeonly buffer Dst { T dst[]; };
layout(binding = DST) writeonly buffer DstQuads { uvec4 dst_quads[]; };

T make(PLACE at);
void start_row(PLACE at);
uvec4 make_quad(PLACE at);

void rest_of_row(uint row) {
    uint begin = extent - extent % UNIT;
    Walk walk = walk_from(row_bases(row), begin);
    for (uint i = begin; i < extent; i++) {
        dst[walk.place[SOURCES]] = make(walk.place);
        step(walk);
    }
}

void whole_unit(uint row, uint group) {
    Walk walk = walk_from(row_bases(row), group * UNIT);
    if (RUN == 1) start_row(walk.place);
#ifdef RARE
    PLACE start = walk.place;
    uint left = 0;  // a bit for each element of the unit
#endif
    UNROLL for (uint i = 0; i < UNIT; i += PER) {
        PLACE ahead = walk.place;
        uvec4 quad;
        if (RUN == 1) quad = make_quad(ahead);
        for (uint k = 0; k < PER; k++) {
            if (RUN != 1) { PUT(quad, k, make(walk.place)); }
            if (DST_QUADS == 0) UNLESS_RARE dst[walk.place[SOURCES]] = GET(quad, k);
            step(walk);
        }
        if (DST_QUADS != 0) UNLESS_RARE dst_quads[ahead[SOURCES] / PER] = quad;
#ifdef RARE
        left |= rare ? (1u << PER) - 1 << i : 0;
#endif
    }
#ifdef RARE
    for (; left != 0; left &= left - 1) {
        PLACE place = start + uint(findLSB(left)) * row_step();
        dst[place[SOURCES]] = make(place);
    }
#endif
}

// The quads of a unit of the only row. They are computed before any is stored, so that all loads are under way at
// the same time.
void quads_apart(uint n) {
    start_row(bases);
    uvec4 quads[MOST_APART];
    [[unroll]] for (uint k = 0; k < MOST_APART; k++)
        if (k * PER < UNIT) quads[k] = make_quad(bases + (n + k * push.whole) * PER * row_step());
    [[unroll]] for (uint k = 0; k < MOST_APART; k++)
        if (k * PER < UNIT) dst_quads[bases[SOURCES] / PER + n + k * push.whole] = quads[k];
}

// Quads of all rows, `extent` in all. What would lie beyond is read again, and not stored.
void row_quads_apart(uint n) {
    uvec4 quads[MOST_APART];
    uint to[MOST_APART];
    [[unroll]] for (uint k = 0; k < MOST_APART; k++)
        if (k * PER < UNIT) {
            uint group, row = divide(min(n + k * push.whole, extent - 1), groups, groups_reciprocal, group);
            PLACE at = row_bases(row) + group * PER * row_step();
            start_row(at);
            quads[k] = make_quad(at);
            to[k] = at[SOURCES] / PER;
        }
    [[unroll]] for (uint k = 0; k < MOST_APART; k++)
        if (k * PER < UNIT && (k == 0 || n + k * push.whole < extent)) dst_quads[to[k]] = quads[k];
}

// The same with `extent` elements.
void elements_apart(uint n) {
    T elements[MOST_APART];
    uint to[MOST_APART];
    [[unroll]] for (uint k = 0; k < MOST_APART; k++)
        if (k < UNIT) {
            PLACE at = walk_from(bases, min(n + k * push.whole, extent - 1)).place;
            elements[k] = make(at);
            to[k] = at[SOURCES];
        }
    [[unroll]] for (uint k = 0; k < MOST_APART; k++)
        if (k < UNIT && (k == 0 || n + k * push.whole < extent)) dst[to[k]] = elements[k];
}

void unit(uint n, bool whole) {
    if (DST_QUADS == ROWS_APART) {
        row_quads_apart(n);
        return;
    }
    if (DST_QUADS == ELEMENTS_APART) {
        elements_apart(n);
        return;
    }
    if (DST_QUADS == APART) {
        PLACE at = bases + (push.whole * UNIT + n - push.whole) * row_step();
        if (whole)
            quads_apart(n);
        else
            dst[at[SOURCES]] = make(at);
        return;
    }
    uint group = n, row = 0;
    if (RUN < RANK) row = divide(n, groups, groups_reciprocal, group);
    if (whole)
        whole_unit(row, group);
    else
        rest_of_row(n - push.whole);
}
