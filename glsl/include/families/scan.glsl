// Scans: for each element of a row, all elements up to it combined. The includer includes one of
// types/*_values.glsl, and defines `identity`; `combine`, by OP; WORDS, the words of a value; and STORED,
// the type in which it is stored. dml_vk/ops/scan.py specifies the order, which depends only on the
// positions in a row.
//
// A unit is a span of a row, or of COLUMNS rows whose elements lie side by side: 1, or a few quads. Either
// a row is one span, or all its spans but the last have one length, that of a block on some level.

#define SOURCES 1
#define BASES src_base, carry_base, dst_base
#define FROM push.src_base
#define MAX_RANK 6
// The elements of a span, and the steps along a row.
#define EXTRA uint span, src_step, dst_step;
#include "index/index.glsl"
#include "types/element.glsl"

const uint SUM = 0, PRODUCT = 1, MAXIMUM = 2, MINIMUM = 3;
const uint TOTALS = 0, INCLUSIVE = 1, EXCLUSIVE = 2;

layout(constant_id = 4) const uint OP = SUM;
layout(constant_id = 5) const uint FORM = INCLUSIVE;  // TOTALS: only the total of each span
layout(constant_id = 6) const uint TYPE = FLOAT32;    // of src
layout(constant_id = 7) const uint LEVELS = 1;        // of blocks within a span
layout(constant_id = 8) const uint SPAN_DIM = 0;      // the dim that counts spans
layout(constant_id = 9) const bool CARRIED = false;   // `carry` has the totals of everything before each span
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
#define MOST_LEVELS 6

VALUE identity();
VALUE combine(VALUE a, VALUE b);

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

Values identities() {
    Values values;
    [[unroll]] for (uint c = 0; c < COLUMNS; c++) values.at[c] = identity();
    return values;
}

Values combined(Values a, Values b) {
    [[unroll]] for (uint c = 0; c < COLUMNS; c++) a.at[c] = combine(a.at[c], b.at[c]);
    return a;
}

// Add an element to its block, and return the result of the scan for it.
Values joined(inout Values block, Values before, Values element) {
    Values so_far = combined(block, element);
    Values result = FORM == EXCLUSIVE ? combined(before, block) : combined(before, so_far);
    block = so_far;
    return result;
}

void unit(uint n, bool whole) {
    PLACE at = bases;
    uint left = n, i = 0;
    [[unroll]] for (uint k = 0; k < RANK; k++) {
        uint coordinate = take(left, k);
        at += coordinate * strides[k];
        if (k == SPAN_DIM) i = coordinate * push.span;
    }
    PLACE by = PLACE(push.src_step, push.dst_step);
    Values carried = identities();
    if (CARRIED) carried = carry_at(push.carry_base + n * COLUMNS);
    Values before = carried;
    // By level, the total so far of the blocks in the current larger block; for level 0, of the elements.
    Values blocks[MOST_LEVELS];
    [[unroll]] for (uint l = 0; l < MOST_LEVELS; l++) blocks[l] = identities();

    for (uint end = min(i + push.span, extent); i < end;) {
        uint stop = min(i + (1u << LOG_BLOCK), end);
        Values block = blocks[0];
#if COLUMNS == 1
        if (SRC_RUNS || DST_QUADS)
            for (; i + PER <= stop; i += PER) {
                Quad values;
                if (SRC_RUNS) values = along(at.x);
                [[unroll]] for (uint k = 0; k < PER; k++) {
                    Values value = read(at.x + k * by.x);
                    if (SRC_RUNS) value.at[0] = values.at[k];
                    values.at[k] = joined(block, before, value).at[0];
                    if (FORM != TOTALS && !DST_QUADS) write_element(at.y + k * by.y, values.at[k]);
                }
                if (FORM != TOTALS && DST_QUADS) write_quad(at.y, values);
                at += PER * by;
            }
#endif
        for (; i < stop; i++) {
            Values values = joined(block, before, read(at.x));
            if (FORM != TOTALS) write(at.y, values);
            at += by;
        }
        blocks[0] = block;
        // A complete block is an element of the next level.
        [[unroll]] for (uint l = 1; l < LEVELS; l++)
            if ((i & (1u << LOG_BLOCK * l) - 1) == 0) {
                blocks[l] = combined(blocks[l], blocks[l - 1]);
                blocks[l - 1] = identities();
            }
        before = carried;
        [[unroll]] for (uint l = LEVELS - 1; l > 0; l--) before = combined(before, blocks[l]);
    }
    if (FORM == TOTALS) write(push.dst_base + n * COLUMNS, blocks[LEVELS - 1]);
}
