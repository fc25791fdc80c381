// One source of a tile: SPAN rows or columns along dim DIM, and DEEP elements of each along the depth. The
// includer defines these, its number SOURCE, SOURCE_TYPE, the way to read it READ, the step along its depth
// STEP, and NAMED, which prefixes its names.
#include "families/matmul_element.glsl"
layout(binding = SOURCE) readonly buffer NAMED(Quads) { uvec4 NAMED(quads)[]; };

uint NAMED(starts)[SPAN];
VALUE NAMED(values)[SPAN][DEEP], NAMED(quad)[4];

// Rows past the end read the last one again.
void NAMED(start)(uint base, uint first) {
    uint last = sizes[DIM] - (READ == BY_SPAN ? 4 : 1);
    [[unroll]] for (uint i = 0; i < SPAN; i++)
        NAMED(starts)[i] =
            base + (RAGGED ? min(first + i, last) : first + i) * strides[DIM][SOURCE];
}

// Four elements that start at a multiple of four.
VALUE[4] NAMED(run)(uint at) {
    VALUE run[4];
    uint bits = bits_of(SOURCE_TYPE), word = 0;
    uvec4 quad = uvec4(0);
    if (bits == 32) quad = NAMED(quads)[at / 4];
    [[unroll]] for (uint j = 0; j < 4; j++) {
        uint bit = j * bits % 32;
        if (bits < 32 && bit == 0) word = NAMED(words)[(at + j) / (32 / bits)];
        uint raw = bits < 32 ? word >> bit & (1u << bits) - 1 : quad[j];
        run[j] = decode(uvec2(raw, 0), SOURCE_TYPE);
    }
    return run;
}

// DEEP elements from `k` on.
void NAMED(load)(uint k) {
    [[unroll]] for (uint i = 0; i < SPAN; i++) {
        if (READ == BY_DEPTH) NAMED(quad) = NAMED(run)(NAMED(starts)[i] + k);
        [[unroll]] for (uint j = 0; j < DEEP; j++) {
            uint at = NAMED(starts)[i] + (k + j) * STEP;
            if (READ == BY_DEPTH)
                NAMED(values)[i][j] = NAMED(quad)[j];
            else if (READ == ALL_ONES)
                NAMED(values)[i][j] = VALUE(1);
            else if (READ == BY_ELEMENTS)
                NAMED(values)[i][j] = NAMED(element)(at);
            else if (i % 4 == 0) {
                NAMED(quad) = NAMED(run)(at);
                [[unroll]] for (uint next = 0; next < 4; next++)
                    NAMED(values)[i + next][j] = NAMED(quad)[next];
            }
        }
    }
}
#undef SOURCE
#undef SOURCE_TYPE
#undef SPAN
#undef DIM
#undef READ
#undef STEP
#undef NAMED
