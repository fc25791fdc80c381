// Scans: for each element of a row, all elements up to it combined.
//
// A unit is a span of a row, or of COLUMNS rows whose elements lie side by side: 1, or a few quads. Either
// a row is one span, or all its spans but the last have one length, that of a block on some level.

// The elements of a span, and the steps along a row.
#define EXTRA uint span, src_step, dst_step;
#include "families/scan_values.glsl"

layout(constant_id = 7) const uint LEVELS = 1;    // of blocks within a span
layout(constant_id = 8) const uint SPAN_DIM = 0;  // the dim that counts spans

#define MOST_LEVELS 6

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
        uint stop = min(i + BLOCK, end);
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
