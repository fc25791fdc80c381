// Scans by workgroups. A tile is up to 64 blocks of a row, which are one block of the next level. A workgroup does a
// tile of ROWS rows, or one after the other all tiles of as many. First it makes the total of each block, or has it
// from another launch; then, for each row, one invocation makes what comes before each block; then the results.
//
// Along a row, a block is an invocation's, and all move a run of each block through shared memory, so that they read
// and write side by side. If ACROSS is defined, invocations that are side by side do neighbouring rows.

// Steps along a row; how many rows there are; the totals of tiles, after which those of blocks come; and the tiles
// of each work item, one after the other.
#define EXTRA uint src_step, dst_step, rows, tops, turns;
#include "families/scan_values.glsl"

layout(constant_id = 7) const uint BLOCKS = 64;  // of a row in a tile: a power of two
layout(constant_id = 8) const uint ROWS = 1;     // of a workgroup, likewise

#ifdef ACROSS
#define MOST_TOPS (2048 / WORDS)
#else
#define MOST_TOPS BLOCK
#endif
shared uint tops[WORDS * MOST_TOPS];  // for each block its total, then what comes before it

void meet() {
    memoryBarrierShared();
    barrier();
}

VALUE top(uint at) {
#if WORDS == 2
    return decode(uvec2(tops[at], tops[MOST_TOPS + at]), STORED);
#else
    return decode(uvec2(tops[at], 0), STORED);
#endif
}
void put_top(uint at, VALUE value) {
    uvec2 words = encode(value, STORED);
    tops[at] = words.x;
#if WORDS == 2
    tops[MOST_TOPS + at] = words.y;
#endif
}

uint id, group, tile;  // the first row of the workgroup is group * ROWS

// A block of a tile among all tops: of a row and its number there.
uint top_of(uint row, uint k) {
#ifdef ACROSS
    return k * ROWS + row;
#else
    return row * BLOCKS + k;
#endif
}

// Where the total of a tile is in memory, and that of a block.
uint total_at(uint row) {
#ifdef ACROSS
    return tile * push.rows + group * ROWS + row;
#else
    return group * groups + tile;
#endif
}
uint block_at(uint row, uint k) {
#ifdef ACROSS
    return push.tops + (tile * BLOCKS + k) * push.rows + group * ROWS + row;
#else
    return push.tops + (group * groups + tile) * BLOCKS + k;
#endif
}

bool is_row(uint row) { return group * ROWS + row < push.rows; }

PLACE start_of(uint row) {
    uint left = group * ROWS + row;
    PLACE at = bases;
    [[unroll]] for (uint k = 0; k < RANK; k++) at += take(left, k) * strides[k];
    return at;
}

// How many elements of a row a block has.
uint elements_of(uint row, uint k) {
    uint from = (tile * BLOCKS + k) * BLOCK;
    return is_row(row) && from < extent ? min(extent - from, BLOCK) : 0;
}

// Add an element to its block, and return the result of the scan for it.
VALUE joined(inout VALUE block, VALUE before, VALUE element) {
    VALUE so_far = combine(block, element);
    VALUE result = FORM == EXCLUSIVE ? combine(before, block) : combine(before, so_far);
    block = so_far;
    return result;
}

#ifdef ACROSS
#define AHEAD (4 * PER)  // elements that are read before the first of them is added

// Scan the blocks of an invocation or, where nothing is written, only make their totals.
void sweep(PLACE start, bool writes) {
    uint row = id % ROWS, each = BLOCKS * ROWS / LANES, first = id / ROWS * each;
    PLACE by = PLACE(push.src_step, push.dst_step);
    for (uint k = first; k < first + each; k++) {
        uint there = elements_of(row, k);
        PLACE at = start + (tile * BLOCKS + k) * BLOCK * by;
        VALUE block = identity(), before = identity();
        if (writes && BLOCKS > 1) before = top(top_of(row, k));
        for (uint i = 0; i < there; i += AHEAD) {
            VALUE values[AHEAD];
            [[unroll]] for (uint j = 0; j < AHEAD; j++)
                if (i + j < there) values[j] = read(at.x + j * by.x).at[0];
            [[unroll]] for (uint j = 0; j < AHEAD; j++) {
                if (i + j < there) {
                    VALUE result = joined(block, before, values[j]);
                    if (writes) write_element(at.y + j * by.y, result);
                }
            }
            at += AHEAD * by;
        }
        if (!writes) put_top(top_of(row, k), block);
    }
}
#else
#define RUN (32 / WORDS)  // elements of a block that are in shared memory at once: 128 bytes
#define PITCH 33          // words of a run; one more, so that invocations use different banks
shared uint cells[BLOCK * PITCH];
shared uint src_starts[BLOCK], dst_starts[BLOCK], there[BLOCK];  // of blocks

VALUE cell(uint block, uint i) {
    uint at = block * PITCH + WORDS * i;
    return decode(uvec2(cells[at], WORDS == 2 ? cells[at + 1] : 0), STORED);
}
void put_cell(uint block, uint i, VALUE value) {
    uint at = block * PITCH + WORDS * i;
    uvec2 words = encode(value, STORED);
    cells[at] = words.x;
    if (WORDS == 2) cells[at + 1] = words.y;
}

// Read the elements of each block from number `from` on.
void fetch(uint from) {
    for (uint q = id; q < BLOCK * RUN / PER; q += 4 * LANES) {
        [[unroll]] for (uint j = 0; j < 4; j++) {
            uint piece = q + j * LANES;
            uint block = SRC_RUNS ? piece / (RUN / PER) : 0, i = SRC_RUNS ? piece % (RUN / PER) * PER : 0;
            if (SRC_RUNS && from + i + PER <= there[block]) {
                Quad values = along(src_starts[block] + from + i);
                [[unroll]] for (uint k = 0; k < PER; k++) put_cell(block, i + k, values.at[k]);
            } else {
                [[unroll]] for (uint k = 0; k < PER; k++) {
                    if (!SRC_RUNS) {
                        uint element = (q - id + j * LANES) * PER + k * LANES + id;
                        block = element / RUN;
                        i = element % RUN - k;
                    }
                    if (from + i + k < there[block])
                        put_cell(block, i + k, read(src_starts[block] + (from + i + k) * push.src_step).at[0]);
                }
            }
        }
    }
}

void store(uint from) {
    for (uint q = id; q < BLOCK * RUN / PER; q += 4 * LANES) {
        [[unroll]] for (uint j = 0; j < 4; j++) {
            uint piece = q + j * LANES;
            uint block = DST_QUADS ? piece / (RUN / PER) : 0, i = DST_QUADS ? piece % (RUN / PER) * PER : 0;
            if (DST_QUADS && from + i + PER <= there[block]) {
                Quad values;
                [[unroll]] for (uint k = 0; k < PER; k++) values.at[k] = cell(block, i + k);
                write_quad(dst_starts[block] + from + i, values);
            } else {
                [[unroll]] for (uint k = 0; k < PER; k++) {
                    if (!DST_QUADS) {
                        uint element = (q - id + j * LANES) * PER + k * LANES + id;
                        block = element / RUN;
                        i = element % RUN - k;
                    }
                    if (from + i + k < there[block])
                        write_element(dst_starts[block] + (from + i + k) * push.dst_step, cell(block, i + k));
                }
            }
        }
    }
}

// Scan the blocks of the tile or, where nothing is written, only make their totals.
void sweep(PLACE start, bool writes) {
    uint row = id / BLOCKS, k = id % BLOCKS, first = (tile * BLOCKS + k) * BLOCK;
    uint own = elements_of(row, k);
    meet();
    src_starts[id] = start.x + first * push.src_step;
    dst_starts[id] = start.y + first * push.dst_step;
    there[id] = own;
    VALUE block = identity(), before = identity();
    if (writes && BLOCKS > 1) before = top(id);
    for (uint from = 0; from < min(extent, BLOCK); from += RUN) {
        meet();
        fetch(from);
        meet();
        for (uint i = 0; from + i < own && i < RUN; i += PER) {
            [[unroll]] for (uint j = 0; j < PER; j++) {
                if (from + i + j < own) {
                    VALUE result = joined(block, before, cell(id, i + j));
                    if (writes) put_cell(id, i + j, result);
                }
            }
        }
        if (writes) {
            meet();
            store(from);
        }
    }
    if (!writes) put_top(id, block);
}
#endif

// The total of each block: in shared memory, and where there is nothing more to do in memory.
void make_tops(PLACE start) {
    if (!CARRIED) sweep(start, false);
    meet();
    if (!CARRIED && FORM != TOTALS) return;
    for (uint j = id; j < ROWS * BLOCKS; j += LANES) {
#ifdef ACROSS
        uint row = j % ROWS, k = j / ROWS;
#else
        uint row = j / BLOCKS, k = j % BLOCKS;
#endif
        if (!is_row(row)) continue;
        if (CARRIED)
            put_top(j, carry_at(push.carry_base + block_at(row, k)).at[0]);
        else
            write_element(push.dst_base + block_at(row, k), top(j));
    }
    meet();
}

void unit(uint n, bool whole) {
    id = gl_LocalInvocationID.x;
#ifdef ACROSS
    tile = divide(n, groups, groups_reciprocal, group);
    uint own = id % ROWS;
#else
    group = divide(n, groups, groups_reciprocal, tile);
    uint own = id / BLOCKS;
#endif
    PLACE start = start_of(is_row(own) ? own : 0);
    // Of the invocations that begin rows: all that comes before the tile.
    bool begins = id < ROWS && is_row(id);
    VALUE carried = identity();
    if (CARRIED && begins) carried = carry_at(push.carry_base + total_at(id)).at[0];
    for (uint turn = 0; turn < push.turns; turn++, tile++) {
        meet();  // after tops have been read
        if (BLOCKS > 1) {
            make_tops(start);
            if (begins) {
                VALUE sum = identity();
                for (uint k = 0; k < BLOCKS; k += PER) {
                    VALUE totals[PER];
                    [[unroll]] for (uint j = 0; j < PER; j++)
                        if (k + j < BLOCKS) totals[j] = top(top_of(id, k + j));
                    [[unroll]] for (uint j = 0; j < PER; j++) {
                        if (k + j >= BLOCKS) break;
                        if (FORM != TOTALS) put_top(top_of(id, k + j), combine(carried, sum));
                        sum = combine(sum, totals[j]);
                    }
                }
                if (FORM == TOTALS) write_element(push.dst_base + total_at(id), sum);
                carried = combine(carried, sum);
            }
            meet();
        }
        if (FORM != TOTALS) sweep(start, true);
    }
}
