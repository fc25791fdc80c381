#version 450
#extension GL_GOOGLE_include_directive : require
// Dim 0 is innermost in dst and dim 1 in src. A unit is ACROSS elements along dim 0 by a quad, 16 bytes,
// along dim 1; units go by blocks, along dim 0 first within and without. Elements of 8 and 16 bits need
// SRC_QUADS and DST_PIECES, and no edges.
#include "index_head.glsl"

layout(constant_id = 4) const uint BLOCK_ACROSS = 8;
layout(constant_id = 5) const uint BLOCK_DOWN = 1;
layout(constant_id = 6) const bool RAGGED = true;       // not all units, or not all of each, is needed
layout(constant_id = 7) const bool SRC_QUADS = false;   // quads start at a multiple of 16 bytes in src
layout(constant_id = 8) const bool DST_PIECES = false;  // pieces at a multiple of their size in dst

#define PER (128 / BITS)  // elements in a quad
#if BITS == 64
#define ACROSS 2
#define T uvec2
#define PIECE uvec4  // ACROSS elements
#elif BITS == 32
#define ACROSS 4
#define T uint
#define PIECE uvec4
#elif BITS == 16
#define ACROSS 4
#define T uint
#define PIECE uvec2
#else
#define ACROSS 4
#define T uint
#define PIECE uint
#endif

layout(binding = 0) readonly buffer Src { T src[]; };
layout(binding = 0) readonly buffer SrcQuads { uvec4 src_quads[]; };
layout(binding = 1) writeonly buffer Dst { T dst[]; };
layout(binding = 1) writeonly buffer DstPieces { PIECE dst_pieces[]; };

// A piece: element i of each of ACROSS quads.
#if BITS == 64
PIECE piece_of(uvec4 quads[ACROSS], uint i) {
    return i == 0 ? uvec4(quads[0].xy, quads[1].xy) : uvec4(quads[0].zw, quads[1].zw);
}
#elif BITS == 32
PIECE piece_of(uvec4 quads[ACROSS], uint i) {
    return uvec4(quads[0][i], quads[1][i], quads[2][i], quads[3][i]);
}
#elif BITS == 16
PIECE piece_of(uvec4 quads[ACROSS], uint i) {
    uvec4 words = uvec4(quads[0][i / 2], quads[1][i / 2], quads[2][i / 2], quads[3][i / 2]);
    words = words >> i % 2 * 16 & 0xffff;
    return words.xz | words.yw << 16;
}
#else
PIECE piece_of(uvec4 quads[ACROSS], uint i) {
    uvec4 words = uvec4(quads[0][i / 4], quads[1][i / 4], quads[2][i / 4], quads[3][i / 4]);
    words = (words >> i % 4 * 8 & 0xff) << uvec4(0, 8, 16, 24);
    return words.x | words.y | words.z | words.w;
}
#endif

uvec4 load_quad(uint at, uint down) {
    if (SRC_QUADS) return src_quads[(at + down) / PER];
    uvec4 quad = uvec4(0);
#if BITS >= 32
    for (uint i = 0; i < PER; i++) {
        // Past the end of the dim, the last element again.
        uint element = RAGGED ? min(down + i, sizes[1] - 1) : down + i;
        T value = src[at + element * strides[1].x];
#if BITS == 64
        quad[2 * i] = value.x, quad[2 * i + 1] = value.y;
#else
        quad[i] = value;
#endif
    }
#endif
    return quad;
}

void store_piece(uint at, PIECE piece) {
    if (DST_PIECES) {
        dst_pieces[at / ACROSS] = piece;
        return;
    }
#if BITS == 64
    dst[at] = piece.xy;
    dst[at + strides[0].y] = piece.zw;
#elif BITS == 32
    for (uint k = 0; k < ACROSS; k++) dst[at + k * strides[0].y] = piece[k];
#endif
}

void whole_unit(uint src_at, uint dst_at, uint down, bool needed) {
    uvec4 quads[ACROSS];
    for (uint k = 0; k < ACROSS; k++) quads[k] = load_quad(src_at + k * strides[0].x, down);
    for (uint i = 0; i < PER; i++)
        if (!RAGGED || needed && down + i < sizes[1])
            store_piece(dst_at + (down + i) * strides[1].y, piece_of(quads, i));
}

// What ACROSS leaves of dim 0.
void narrow_unit(uint src_at, uint dst_at, uint down) {
#if BITS >= 32
    for (uint i = down; i < min(down + PER, sizes[1]); i++)
        for (uint k = 0; k < sizes[0] % ACROSS; k++)
            dst[dst_at + k * strides[0].y + i * strides[1].y] =
                src[src_at + k * strides[0].x + i * strides[1].x];
#endif
}

void unit(uint n, bool whole) {
    uint end = sizes[0] / ACROSS, across = end, down, left;
    if (whole) {
        down = n / BLOCK_ACROSS % BLOCK_DOWN;
        left = divide(n / (BLOCK_ACROSS * BLOCK_DOWN), groups, groups_reciprocal, across);
        across = across * BLOCK_ACROSS + n % BLOCK_ACROSS;
    } else {
        down = (n - push.whole) % BLOCK_DOWN;
        left = (n - push.whole) / BLOCK_DOWN;
    }
    uint block;
    left = divide(left, extent, extent_reciprocal, block);
    down = (block * BLOCK_DOWN + down) * PER;
    bool needed = across < end && down < sizes[1];
    if (RAGGED && whole) {
        // What is not needed reads the first unit, and drops it.
        across = needed ? across : 0;
        down = needed ? down : 0;
    }
    uint src_at = bases.x + across * ACROSS * strides[0].x;
    uint dst_at = bases.y + across * ACROSS * strides[0].y;
    for (uint k = 2; k < RANK; k++) {
        uint at = take(left, k);
        src_at += at * strides[k].x;
        dst_at += at * strides[k].y;
    }
    if (whole)
        whole_unit(src_at, dst_at, down, needed);
    else
        narrow_unit(src_at, dst_at, down);
}

void main() { run(); }
