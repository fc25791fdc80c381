// What scans share: constants, and elements as values. The includer defines EXTRA, the parameters of its own. dml_vk/ops/scan.py specifies the order, which depends only on the positions in a row.

#define SOURCES 1
#define BASES src_base, carry_base, dst_base
#define FROM push.src_base
#define MAX_RANK 6
#include "index/index.glsl"
#include "types/element.glsl"

#include "families/scan_operators.glsl"

const uint TOTALS = 0, INCLUSIVE = 1, EXCLUSIVE = 2;

layout(constant_id = 5) const uint FORM = INCLUSIVE;  // TOTALS: only the total of each work item
layout(constant_id = 6) const uint TYPE = FLOAT32;    // of src
layout(constant_id = 9) const bool CARRIED = false;   // `carry` has the totals of everything before a work item
// A row is read in runs of as many elements as a quad of dst has; it is written in quads.
layout(constant_id = 10) const bool SRC_RUNS = false;
layout(constant_id = 11) const bool DST_QUADS = false;

layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 0) readonly buffer SrcQuads { uvec4 src_quads[]; };
layout(binding = 1) readonly buffer Carry { uint carry[]; };
layout(binding = 1) readonly buffer CarryQuads { uvec4 carry_quads[]; };
layout(binding = 2) writeonly buffer Dst { uint dst[]; };
layout(binding = 2) writeonly buffer DstQuads { uvec4 dst_quads[]; };
#if WORDS == 2
layout(binding = 0) readonly buffer SrcPairs { uvec2 src_pairs[]; };
layout(binding = 2) writeonly buffer DstPairs { uvec2 dst_pairs[]; };
#endif

#define PER (4 / WORDS)
#define LOG_BLOCK 6u
#define BLOCK (1u << LOG_BLOCK)

struct Quad {
    VALUE at[PER];
};

struct Values {
    VALUE at[COLUMNS];
};

DEFINE_ELEMENT(src_element, src)

Quad from_quad(uvec4 quad, uint type) {
    Quad values;
    [[unroll]] for (uint k = 0; k < PER; k++)
        values.at[k] = decode(uvec2(quad[WORDS * k], WORDS == 2 ? quad[2 * k + 1] : 0), type);
    return values;
}

// PER elements along a row; the address is a multiple of PER.
Quad along(uint at) {
    uint bits = bits_of(TYPE), word;
    if (bits == 32 * WORDS) return from_quad(src_quads[at / PER], TYPE);
    Quad values;
    [[unroll]] for (uint k = 0; k < PER; k++) {
        uint bit = (at + k) * bits % 32;
        if (k == 0 || bits * k % 32 == 0) word = src[(at + k) / (32 / bits)];
        values.at[k] = decode(uvec2(word >> bit & 0xffffffffu >> 32 - bits, 0), TYPE);
    }
    return values;
}

Values read(uint at) {
#if COLUMNS == 1
    uvec2 raw;
#if WORDS == 2
    if (bits_of(TYPE) == 64)
        raw = src_pairs[at];
    else
#endif
        raw = src_element(at, TYPE);
    return Values(VALUE[1](decode(raw, TYPE)));
#else
    Values values;
    [[unroll]] for (uint c = 0; c < COLUMNS; c += PER) {
        Quad quad = along(at + c);
        [[unroll]] for (uint k = 0; k < PER; k++) values.at[c + k] = quad.at[k];
    }
    return values;
#endif
}

// The values of all COLUMNS; the address is a multiple of COLUMNS.
Values carry_at(uint at) {
#if COLUMNS > 1
    Values values;
    [[unroll]] for (uint c = 0; c < COLUMNS; c += PER) {
        Quad quad = from_quad(carry_quads[(at + c) / PER], STORED);
        [[unroll]] for (uint k = 0; k < PER; k++) values.at[c + k] = quad.at[k];
    }
    return values;
#elif WORDS == 2
    return Values(VALUE[1](decode(uvec2(carry[2 * at], carry[2 * at + 1]), STORED)));
#else
    return Values(VALUE[1](decode(uvec2(carry[at], 0), STORED)));
#endif
}

void write_quad(uint at, Quad values) {
    uvec4 quad;
    [[unroll]] for (uint k = 0; k < PER; k++) {
        uvec2 words = encode(values.at[k], STORED);
        quad[WORDS * k] = words.x;
        if (WORDS == 2) quad[2 * k + 1] = words.y;
    }
    dst_quads[at / PER] = quad;
}

void write_element(uint at, VALUE value) {
    uvec2 words = encode(value, STORED);
#if WORDS == 2
    dst_pairs[at] = words;
#else
    dst[at] = words.x;
#endif
}

void write(uint at, Values values) {
#if COLUMNS == 1
    write_element(at, values.at[0]);
#else
    [[unroll]] for (uint c = 0; c < COLUMNS; c += PER) {
        Quad quad;
        [[unroll]] for (uint k = 0; k < PER; k++) quad.at[k] = values.at[c + k];
        write_quad(at + c, quad);
    }
#endif
}
