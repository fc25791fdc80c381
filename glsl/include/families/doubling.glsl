// Rounds of doubling, by workgroups: each element becomes its combination with the one `d` rows before, for d = 1, 2,
// 4 and so on, LEVELS times. Rows of `columns` elements lie one after the other in src, which has several matrices of
// `extent` elements each. A workgroup does a tile of HEIGHT rows of WIDE columns in shared memory, of which the first
// HALO are only there for those that follow.
//
// The includer includes one of types/*_values.glsl, and defines `combine`, WORDS and STORED.
#define TEAM
#define BASES src_base, dst_base
#define FROM push.src_base
#define MAX_RANK 1
#define EXTRA uint columns, across, tiles;  // and how many tiles lie side by side, and one below the other
#include "index/index.glsl"

layout(constant_id = 4) const uint LEVELS = 1;
layout(constant_id = 5) const uint WIDE = 1;
layout(constant_id = 6) const uint HALO = 0;

layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 1) writeonly buffer Dst { uint dst[]; };

#define CELLS (4096 / WORDS)
#define HEIGHT (CELLS / WIDE)
shared uint cells[4096];

VALUE combine(VALUE near, VALUE far);

void meet() {
    memoryBarrierShared();
    barrier();
}

VALUE cell(uint at) { return decode(uvec2(cells[at], WORDS == 2 ? cells[CELLS % 4096 + at] : 0), STORED); }

void put_cell(uint at, uvec2 words) {
    cells[at] = words.x;
    if (WORDS == 2) cells[CELLS % 4096 + at] = words.y;
}

void unit(uint n, bool whole) {
    uint id = gl_LocalInvocationID.x;
    uint tile = n / push.across, left = n % push.across * WIDE, matrix = tile / push.tiles;
    // Modulo 2^32: the first tile begins with rows that are not there.
    uint top = tile % push.tiles * (HEIGHT - HALO) - HALO;
    meet();  // after the last unit has been stored
    for (uint at = id; at < CELLS; at += LANES) {
        uint row = top + at / WIDE, column = left + at % WIDE, i = row * push.columns + column;
        bool is_there = int(row) >= 0 && column < push.columns && row <= extent / push.columns && i < extent;
        uint from = push.src_base + matrix * extent + i;
        uvec2 words = uvec2(0);
        if (is_there) words = WORDS == 2 ? uvec2(src[2 * from], src[2 * from + 1]) : uvec2(src[from], 0);
        put_cell(at, words);
    }
    for (uint level = 0; level < LEVELS; level++) {
        uint far = WIDE << level;
        meet();
        // From the end on, so that what is read has not changed yet.
        for (uint start = CELLS; start > 0; start -= LANES) {
            uint at = start - LANES + id;
            bool joins = at >= far && int(top + at / WIDE) >= int(1u << level);
            uvec2 words;
            if (joins) words = encode(combine(cell(at), cell(at - far)), STORED);
            meet();
            if (joins) put_cell(at, words);
            meet();
        }
    }
    meet();
    for (uint at = id + HALO * WIDE; at < CELLS; at += LANES) {
        uint row = top + at / WIDE, column = left + at % WIDE, i = row * push.columns + column;
        if (column < push.columns && row <= extent / push.columns && i < extent) {
            uint to = push.dst_base + matrix * extent + i;
            dst[WORDS * to] = cells[at];
            if (WORDS == 2) dst[2 * to + 1] = cells[CELLS % 4096 + at];
        }
    }
}
