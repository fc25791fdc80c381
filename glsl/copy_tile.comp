#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// A copy by tiles. Elements of 8 and 16 bits require BY_QUADS and DST_PIECES, and no edges.
#include "index/index.glsl"

#define PER (128 / BITS)
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
#include "index/tile.glsl"

layout(binding = 0) readonly buffer Src { T src[]; };
layout(binding = 0) readonly buffer SrcQuads { uvec4 src_quads[]; };
layout(binding = 1) writeonly buffer Dst { T dst[]; };
layout(binding = 1) writeonly buffer DstPieces { PIECE dst_pieces[]; };

// The piece with element i of each of ACROSS quads.
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
    if (read_of(0) == BY_QUADS) return src_quads[(at + down) / PER];
    uvec4 quad = uvec4(0);
#if BITS >= 32
    [[unroll]] for (uint i = 0; i < PER; i++) {
        // Past the end of the dim, read the last element again.
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
    [[unroll]] for (uint k = 0; k < ACROSS; k++) dst[at + k * strides[0].y] = piece[k];
#endif
}

void whole_unit(PLACE at, uint down, bool needed) {
    uvec4 quads[ACROSS];
    [[unroll]] for (uint k = 0; k < ACROSS; k++) quads[k] = load_quad(at.x + k * strides[0].x, down);
    [[unroll]] for (uint i = 0; i < PER; i++)
        if (!RAGGED || needed && down + i < sizes[1])
            store_piece(at.y + (down + i) * strides[1].y, piece_of(quads, i));
}

void narrow_unit(PLACE at, uint down) {
#if BITS >= 32
    for (uint i = down; i < min(down + PER, sizes[1]); i++)
        for (uint k = 0; k < sizes[0] % ACROSS; k++) {
            PLACE element = at + k * strides[0] + i * strides[1];
            dst[element.y] = src[element.x];
        }
#endif
}

void main() { run(); }
