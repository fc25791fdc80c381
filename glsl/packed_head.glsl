// Rows whose elements are BITS wide, 8 or 16, packed in words. A unit is UNIT words of dst. A word that
// it does not own whole it changes by atomics, and only its own bits. The includer defines DST, a
// binding, `uint load(uint at)` for an element, and `uint load_word(uint at)` for PER of them.
#include "row_head.glsl"

layout(constant_id = 8) const bool ALIGNED = false;  // rows of dst start at a multiple of 16 bytes
#define NEXT_SPEC 9

#define PER (32 / BITS)  // elements in a word
#define ONE ((1u << BITS) - 1)
const uint EVERY = 0xffffffffu / ONE;  // times an element, it is in all places of a word

layout(binding = DST) buffer Dst { uint dst[]; };
layout(binding = DST) writeonly buffer DstQuads { uvec4 dst_quads[]; };

void store_bits(uint word, uint value, uint mask) {
    if (mask == 0xffffffffu) dst[word] = value;
    // A loop that runs once or not at all: a CPU goes through a branch even if no lane takes it.
    for (bool partly = mask != 0 && mask != 0xffffffffu; partly; partly = false) {
        atomicAnd(dst[word], ~mask);
        atomicOr(dst[word], value);
    }
}

// Which bits of a row's word are the row's, whose elements start `phase` places into word 0.
uint own_bits(uint word, uint phase) {
    uint begin = word * PER, end = phase + extent;
    uint mask = word == 0 ? 0xffffffffu << phase * BITS : 0xffffffffu;
    if (end < begin + PER) mask &= (1u << (end - begin) * BITS) - 1;
    return begin < end ? mask : 0;
}

// Elements one by one, into a dst with gaps.
void scattered_unit(uint begin) {
    Walk walk = walk_from(row_bases(0), begin);
    for (uint i = begin; i < min(begin + UNIT, extent); i++) {
        uint place = walk.dst % PER * BITS;
        store_bits(walk.dst / PER, load(walk.src) << place, ONE << place);
        step(walk);
    }
}

// Words of a row that src has in one piece too: two words of src, shifted, are one of dst.
uvec4 shifted_words(uint src_row, uint word, uint phase) {
    uint start = src_row % PER, last = (start + extent - 1) / PER;
    uint shift = (start - phase) % PER * BITS;
    int from = int(word) - int(start < phase);
    uint low = load_word(src_row / PER + clamp(from, 0, int(last)));
    uvec4 quad;
    for (int i = 0; i < 4; i++) {
        uint high = load_word(src_row / PER + clamp(from + i + 1, 0, int(last)));
        quad[i] = shift == 0 ? low : low >> shift | high << 32 - shift;
        low = high;
    }
    return quad;
}

// Words of a row, element by element. Places that are not the row's read nothing and are 0.
uvec4 gathered_words(inout Walk walk, uvec4 mask, bool whole) {
    uvec4 quad = uvec4(0);
    for (uint i = 0; i < 4; i++)
        for (uint place = 0; place < 32; place += BITS)
            if (whole || (mask[i] >> place & 1) != 0) {
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
    uint group = n, row = 0;
    if (ALIGNED && !whole) {
        group = extent / (UNIT * PER);
        row = n - push.whole;
    } else if (RUN < RANK)
        row = divide(n, groups, groups_reciprocal, group);
    uvec2 start = row_bases(row);
    uint phase = ALIGNED ? 0 : start.y % PER, same = 0;
    if (STEP == 0) same = load(start.x) * EVERY;
    uint word = group * UNIT;
    Walk walk = walk_from(start, word == 0 ? 0 : word * PER - phase);
    for (uint i = 0; i < UNIT; i += 4) {
        uvec4 mask = uvec4(0xffffffffu), quad = uvec4(same);
        if (!whole || !ALIGNED)
            for (uint k = 0; k < 4; k++) mask[k] = own_bits(word + i + k, phase);
        if (STEP == 1) quad = shifted_words(start.x, word + i, phase);
        if (STEP == 2) quad = gathered_words(walk, mask, ALIGNED && whole);
        if (ALIGNED && whole)
            dst_quads[start.y / 4 / PER + (word + i) / 4] = quad;
        else
            for (uint k = 0; k < 4; k++)
                store_bits(start.y / PER + word + i + k, quad[k] & mask[k], mask[k]);
    }
}
