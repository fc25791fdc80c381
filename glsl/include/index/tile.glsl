// Tiles: dim 0 is innermost in dst, dim 1 in a source. A unit is ACROSS elements along dim 0 by a quad,
// 16 bytes, along dim 1. Units form blocks; both within a block and from block to block, dim 0 comes first.
// The includer defines ACROSS; PER, the elements of a quad; and the two functions that process a unit,
// `down` elements into dim 1.

layout(constant_id = 4) const uint BLOCK_ACROSS = 8;
layout(constant_id = 5) const uint BLOCK_DOWN = 1;
layout(constant_id = 6) const bool RAGGED = true;  // some units lie outside, wholly or in part
layout(constant_id = 7) const uint READS = 0;      // how each source is read, 2 bits each
layout(constant_id = 8) const bool DST_PIECES = false;  // pieces of dst start at a multiple of their size
#define NEXT_SPEC 9

#define BY_ELEMENTS 0
#define BY_QUADS 1   // quads along dim 1, which start at a multiple of 16 bytes
#define BY_PIECES 2  // ACROSS elements along dim 0, which start at a multiple of their size

uint read_of(uint source) { return READS >> 2 * source & 3; }

void whole_unit(PLACE at, uint down, bool needed);
void narrow_unit(PLACE at, uint down);  // the last sizes[0] % ACROSS elements of dim 0

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
        // A unit that lies outside reads the first one, and discards it.
        across = needed ? across : 0;
        down = needed ? down : 0;
    }
    PLACE at = bases + across * ACROSS * strides[0];
    [[unroll]] for (uint k = 2; k < RANK; k++) at += take(left, k) * strides[k];
    if (whole)
        whole_unit(at, down, needed);
    else
        narrow_unit(at, down);
}
