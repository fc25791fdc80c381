// Rows whose elements are BITS wide, 8 or 16, packed in words. A whole unit is a quad, 16 bytes, of dst
// that is all the row's; the ENDS others at the ends of each row change their words by atomics, and
// only the row's own bits. The includer defines DST, a binding, `uint load(uint at)` for an element, and
// `uvec4 load_quad(uint at)` for 16 bytes of them that start at a multiple of 16.
#include "row_head.glsl"

layout(constant_id = 8) const bool SRC_QUADS = false;  // in a row, quads of src are quads of dst
layout(constant_id = 9) const bool DST_QUADS = false;  // rows of dst start where quads do
layout(constant_id = 10) const uint ENDS = 1;

#define NEXT_SPEC 11
#define PER_WORD (32 / BITS)  // elements
#define PER (128 / BITS)      // elements in a quad
#define ONE ((1u << BITS) - 1)
const uint EVERY = 0xffffffffu / ONE;  // times an element, it is in all places of a word

layout(binding = DST) buffer Dst { uint dst[]; };
layout(binding = DST) writeonly buffer DstQuads { uvec4 dst_quads[]; };

// Others may change the rest of the word meanwhile.
void store_some(uint word, uint value, uint mask) {
    atomicAnd(dst[word], ~mask);
    atomicOr(dst[word], value & mask);
}

void store_bits(uint word, uint value, uint mask) {
    if (mask == 0xffffffffu) dst[word] = value;
    // A loop that runs once or not at all: a CPU goes through a branch even if no lane takes it.
    for (bool partly = mask != 0 && mask != 0xffffffffu; partly; partly = false)
        store_some(word, value, mask);
}

// Which bits of a word are the row's, whose elements are those from `begin` to `end`, where the word
// starts with element `at`.
uint own_bits(uint at, uint begin, uint end) {
    uint mask = 0xffffffffu;
    if (at < begin) mask = at + PER_WORD <= begin ? 0 : mask << (begin - at) * BITS;
    if (end < at + PER_WORD) mask &= end <= at ? 0 : (1u << (end - at) * BITS) - 1;
    return mask;
}

// Elements one by one, into a dst with gaps.
void scattered_unit(uint begin) {
    Walk walk = walk_from(row_bases(0), begin);
    for (uint i = begin; i < min(begin + UNIT, extent); i++) {
        uint place = walk.dst % PER_WORD * BITS;
        store_some(walk.dst / PER_WORD, load(walk.src) << place, ONE << place);
        step(walk);
    }
}

// A quad of a row that src has in one piece too, as two of src, shifted. Beyond the row's ends it
// reads no further than the quads that the row lies in.
uvec4 shifted_quad(uint src_row, uint quad, uint phase) {
    uint start = src_row % PER, last = (start + extent - 1) / PER, by = (start - phase) % PER;
    int from = int(quad) - int(start < phase);
    uint at = src_row - start;
    uvec4 low = load_quad(at + clamp(from, 0, int(last)) * PER);
    if (SRC_QUADS) return low;
    uvec4 high = load_quad(at + clamp(from + 1, 0, int(last)) * PER);
    uint shift = by % PER_WORD * BITS, next = high.x;
    if ((by / PER_WORD & 2) != 0) {
        next = high.z;
        low = uvec4(low.zw, high.xy);
        high = high.zwzw;
    }
    if ((by / PER_WORD & 1) != 0) {
        low = uvec4(low.yzw, high.x);
        next = high.y;
    }
    uvec4 above = uvec4(low.yzw, next);
    return shift == 0 ? low : low >> shift | above << 32 - shift;
}

// A quad of a row, element by element. Places that are not the row's read nothing and are 0.
uvec4 gathered_quad(Walk walk, uvec4 mask) {
    uvec4 quad = uvec4(0);
    for (uint i = 0; i < 4; i++)
        for (uint place = 0; place < 32; place += BITS)
            if ((mask[i] >> place & 1) != 0) {
                quad[i] |= load(walk.src) << place;
                step(walk);
            }
    return quad;
}

void unit(uint n, bool whole) {
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
    uvec2 start = row_bases(row);
    // The row starts so many elements into its quad 0, which is at an end unless it is none.
    uint phase = DST_QUADS ? 0 : start.y % PER, ahead = min(phase, 1);
    if (whole)
        quad += ahead;
    else
        quad = quad < ahead ? 0 : quad + (push.whole == 0 ? 0 : groups);
    uint begin = quad * PER;
    uvec4 mask = uvec4(0xffffffffu), value = uvec4(0);
    if (!whole)
        for (uint k = 0; k < 4; k++)
            mask[k] = own_bits(begin + k * PER_WORD, phase, phase + extent);
    if (STEP == 0) value = uvec4(load(start.x) * EVERY);
    if (STEP == 1) value = shifted_quad(start.x, quad, phase);
    if (STEP == 2) value = gathered_quad(walk_from(start, quad == 0 ? 0 : begin - phase), mask);
    if (whole)
        dst_quads[start.y / PER + quad] = value;
    else
        for (uint k = 0; k < 4; k++)
            store_bits((start.y / PER + quad) * 4 + k, value[k], mask[k]);
}
