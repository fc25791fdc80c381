// Rows whose elements have BITS bits, 8 or 16, packed in words. A whole unit is a quad of dst, 16 bytes,
// that lies in the row completely, or several that lie apart. The ENDS other quads at the ends of each row are shared with other
// rows, so only the row's own bits in them are changed, by atomics. The includer defines the binding DST,
// `uint make(PLACE at)` for one element, and `make_quad` for a quad of a row that is one dim and starts
// `phase` elements into its quad 0.
#include "index/row.glsl"

layout(constant_id = 8) const uint SRC_QUADS = 0;  // a bit for each source: its quads coincide with dst's
layout(constant_id = 9) const uint DST_QUADS = 0;  // unless 0, rows of dst start at quads: see index/quads.glsl
layout(constant_id = 10) const uint ENDS = 1;

#define NEXT_SPEC 11
#include "index/quads.glsl"
#define PER_WORD (32 / BITS)  // elements
#define PER (128 / BITS)      // elements in a quad
#define ONE ((1u << BITS) - 1)

layout(binding = DST) buffer Dst { uint dst[]; };
layout(binding = DST) writeonly buffer DstQuads { uvec4 dst_quads[]; };

uint make(PLACE at);
// Bits outside of `mask` belong to other rows.
uvec4 make_quad(PLACE row, uint quad, uint phase, bool whole, uvec4 mask);

// Other invocations may change the rest of the word at the same time.
void store_some(uint word, uint value, uint mask) {
    atomicAnd(dst[word], ~mask);
    atomicOr(dst[word], value & mask);
}

void store_bits(uint word, uint value, uint mask) {
    if (mask == 0xffffffffu) dst[word] = value;
    // A loop of one iteration or none: a CPU executes a branch even if no lane takes it.
    for (bool partly = mask != 0 && mask != 0xffffffffu; partly; partly = false)
        store_some(word, value, mask);
}

// The bits of a word that belong to a row with the elements from `begin` to `end`; the word starts with
// element `at`.
uint own_bits(uint at, uint begin, uint end) {
    uint mask = 0xffffffffu;
    if (at < begin) mask = at + PER_WORD <= begin ? 0 : mask << (begin - at) * BITS;
    if (end < at + PER_WORD) mask &= end <= at ? 0 : (1u << (end - at) * BITS) - 1;
    return mask;
}

// Elements one by one, where a row of dst has gaps.
void scattered_unit(uint begin) {
    Walk walk = walk_from(row_bases(0), begin);
    for (uint i = begin; i < min(begin + UNIT, extent); i++) {
        uint at = walk.place[SOURCES], place = at % PER_WORD * BITS;
        store_some(at / PER_WORD, make(walk.place) << place, ONE << place);
        step(walk);
    }
}

// A quad of a row, element by element. Places outside of the row are not read, and are 0.
uvec4 gathered_quad(PLACE row, uint quad, uint phase, uvec4 mask) {
    Walk walk = walk_from(row, quad == 0 ? 0 : quad * PER - phase);
    uvec4 made = uvec4(0);
    for (uint i = 0; i < 4; i++)
        for (uint place = 0; place < 32; place += BITS)
            if ((mask[i] >> place & 1) != 0) {
                made[i] |= make(walk.place) << place;
                step(walk);
            }
    return made;
}

// As in index/words.glsl.
void quads_apart(uint n) {
    uvec4 quads[MOST_APART];
    [[unroll]] for (uint k = 0; k < MOST_APART; k++)
        if (k * PER < UNIT) quads[k] = make_quad(bases, n + k * push.whole, 0, true, uvec4(0xffffffffu));
    [[unroll]] for (uint k = 0; k < MOST_APART; k++)
        if (k * PER < UNIT) dst_quads[bases[SOURCES] / PER + n + k * push.whole] = quads[k];
}

void unit(uint n, bool whole) {
    if (DST_QUADS == APART && whole) {
        quads_apart(n);
        return;
    }
    if (!DENSE) {
        scattered_unit(n * UNIT);
        return;
    }
    uint row = 0, quad = n;
    if (!whole) {
        row = (n - push.whole) / ENDS;
        quad = (n - push.whole) % ENDS;
    } else if (RUN < RANK)
        row = divide(n, groups, groups_reciprocal, quad);
    PLACE start = row_bases(row);
    uint to = start[SOURCES];
    // The row starts `phase` elements into its quad 0, which is shared unless that is 0.
    uint phase = DST_QUADS != 0 ? 0 : to % PER, ahead = min(phase, 1);
    if (whole)
        quad += ahead;
    else
        quad = quad < ahead ? 0 : quad + (push.whole == 0 ? 0 : groups);
    uint begin = quad * PER;
    uvec4 mask = uvec4(0xffffffffu), value;
    if (!whole)
        for (uint k = 0; k < 4; k++)
            mask[k] = own_bits(begin + k * PER_WORD, phase, phase + extent);
    if (RUN == 1)
        value = make_quad(start, quad, phase, whole, mask);
    else
        value = gathered_quad(start, quad, phase, mask);
    if (whole)
        dst_quads[to / PER + quad] = value;
    else
        for (uint k = 0; k < 4; k++)
            store_bits((to / PER + quad) * 4 + k, value[k], mask[k]);
}
