#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifdef SHARED
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
// Products of elements of up to 32 bits, as float32 or as integers modulo 2^32. A unit is a tile of ROWS by
// COLUMNS sums, along dims 1 and 0, so that each element that is read is used several times. A lane group
// processes blocks of BLOCK_DOWN by BLOCK_ACROSS tiles. If TEAM is defined, a unit is such a block, which a
// workgroup does together: it reads both sources, some terms at a time, into shared memory.
// If EPILOGUE is, each sum gets a bias and an activation before it is stored, as float32 or float16.
#ifdef FLOAT
#include "types/float_values.glsl"
#define VALUE4 vec4
#define NOTHING uintBitsToFloat(0x80000000u)  // -0: adding it changes no number, not even +0 or -0
#define BITS_OF(value) floatBitsToUint(value)
#define VALUE_OF(bits) uintBitsToFloat(bits)
#else
#include "types/int_values.glsl"
#define VALUE4 uvec4
#define NOTHING 0u
#define BITS_OF(value) (value)
#define VALUE_OF(bits) (bits)
#endif
#ifdef EPILOGUE
#include "math/activation.glsl"
#endif
#include "families/matmul.glsl"

layout(constant_id = 4) const uint BLOCK_ACROSS = 8;
layout(constant_id = 5) const uint BLOCK_DOWN = 1;
layout(constant_id = 6) const uint ROWS = 8;
layout(constant_id = 7) const uint COLUMNS = 8;
layout(constant_id = 8) const bool RAGGED = true;  // some tiles are partly outside
layout(constant_id = 9) const uint DEEP = 4;       // terms per step; a divisor of the depth but for TEAM
layout(constant_id = 10) const uint LEVELS = 2;    // levels of sums
layout(constant_id = 11) const bool DST_QUADS = false;  // four columns of a tile are a quad of dst
layout(constant_id = 12) const uint A_READ = 0;
layout(constant_id = 13) const uint B_READ = 0;
layout(constant_id = 14) const uint A_TYPE = FLOAT32;
layout(constant_id = 15) const uint B_TYPE = FLOAT32;
layout(constant_id = 16) const bool MORE = false;  // add to dst, which has the sums of the terms before

#ifdef EPILOGUE
layout(constant_id = 17) const uint ACTIVATION = 0;  // an opcode, or 0
layout(constant_id = 18) const uint ALPHA = 0;       // its parameters
layout(constant_id = 19) const uint BETA = 0;
layout(constant_id = 20) const uint BIAS = 0;        // for each row, or for each column
layout(constant_id = 21) const uint BIAS_STEP = 0;
layout(constant_id = 22) const uint BIAS_TYPE = FLOAT32;
layout(constant_id = 23) const uint DST_TYPE = FLOAT32;
layout(constant_id = 24) const bool PAIRS = false;   // of float16: two columns of a tile are a word of dst
layout(constant_id = 25) const bool BY_ROWS = false; // store a row after the other
#define OF_ROWS 1
#define OF_COLUMNS 2
#else
layout(constant_id = 17) const bool BY_ROWS = false;  // store a row after the other
#endif

#define BY_ELEMENTS 0
#define BY_DEPTH 1  // four elements along the depth
#define BY_SPAN 2   // four rows or columns
#define ALL_ONES 3  // not read: every element is 1

#ifdef TEAM
#define TERMS DEEP  // 16 or 32: a divisor of RUN_OF_SUM
#define NUMBER (gl_GlobalInvocationID.x % LANES)  // of a tile in its unit
#define TILES 1  // units of a block
// Row or column i of a tile, counted from its first. A block has every so many quads of them for a tile.
#define NTH(i, block) ((i) / 4 * 4 * (block) + (i) % 4)
#define APART(span) 4  // the first rows or columns of neighbouring tiles
#else
#define TERMS DEEP
#define NUMBER n
#define TILES (BLOCK_ACROSS * BLOCK_DOWN)
#define NTH(i, block) (i)
#define APART(span) span
#endif

#ifdef SHARED
#define SHARED_SOURCE  // the lanes of a group are side by side along dim 0
#endif
#define SOURCE 0
#define SOURCE_TYPE A_TYPE
#define SPAN ROWS
#define BLOCK BLOCK_DOWN
#define DIM 1
#define READ A_READ
#define STEP push.a_step
#define NAMED(name) a_##name
#include "families/matmul_source.glsl"
#define SOURCE 1
#define SOURCE_TYPE B_TYPE
#define SPAN COLUMNS
#define BLOCK BLOCK_ACROSS
#define DIM 0
#define READ B_READ
#define STEP push.b_step
#define NAMED(name) b_##name
#include "families/matmul_source.glsl"

#ifdef EPILOGUE
#define SOURCE 2
#define SOURCE_TYPE BIAS_TYPE
#define NAMED(name) bias_##name
#include "families/matmul_element.glsl"
#undef SOURCE
#undef SOURCE_TYPE
#undef NAMED
#endif

layout(binding = DST_BINDING) buffer Dst { uint dst[]; };
layout(binding = DST_BINDING) buffer DstQuads { uvec4 dst_quads[]; };

#include "families/matmul_sum.glsl"

VALUE sums[2][ROWS][COLUMNS];  // by level

void clear(uint level) {
    [[unroll]] for (uint i = 0; i < ROWS; i++)
        [[unroll]] for (uint j = 0; j < COLUMNS; j++) sums[level][i][j] = NOTHING;
}

// The sums of a complete run are terms of the next level.
void rise() {
    if (LEVELS == 1) return;
    [[unroll]] for (uint i = 0; i < ROWS; i++)
        [[unroll]] for (uint j = 0; j < COLUMNS; j++)
            sums[1][i][j] = plus(sums[1][i][j], sums[0][i][j]);
}

#ifdef TEAM
void meet() {
    memoryBarrierShared();
    barrier();
}

void add_products() {
    meet();  // after the last terms have been read
    a_load();
    b_load();
    meet();
    a_fetch();
    b_fetch();
    for (uint term = 0; term < TERMS; term += 4)
        [[unroll]] for (uint step = 0; step < 4; step++) {
            a_get(term + step);
            b_get(term + step);
            [[unroll]] for (uint i = 0; i < ROWS; i++)
                [[unroll]] for (uint j = 0; j < COLUMNS; j++)
                    sums[0][i][j] = plus(sums[0][i][j], times(a_values[i][0], b_values[j][0]));
        }
}
#else
// All terms of a sum one after the other: so a CPU, whose registers hold few sums, loads it once.
void add_products() {
    a_load();
    b_load();
    [[unroll]] for (uint i = 0; i < ROWS; i++)
        [[unroll]] for (uint j = 0; j < COLUMNS; j++)
            [[unroll]] for (uint step = 0; step < DEEP; step++)
                sums[0][i][j] = plus(sums[0][i][j], times(a_values[i][step], b_values[j][step]));
}
#endif

#ifdef EPILOGUE
VALUE bias_at(uint at) { return bias_element(push.bias_base + at * BIAS_STEP); }

// The bits of a result.
uint total(uint before, VALUE sum, VALUE bias) {
    sum = BIAS > 0 ? plus(sum, bias) : sum;
    sum = activated(ACTIVATION, sum, uintBitsToFloat(ALPHA), uintBitsToFloat(BETA));
    return encode(sum, DST_TYPE).x;
}

void store_one(uint at, uint bits) {
    if (DST_TYPE == FLOAT32)
        dst[at] = bits;
    else {
        uint by = at % 2 * 16;
        atomicAnd(dst[at / 2], ~(0xffffu << by));
        atomicOr(dst[at / 2], bits << by);
    }
}
#else
const uint BIAS = 0;
const bool PAIRS = false;
#define OF_ROWS 1
#define OF_COLUMNS 2
VALUE bias_at(uint at) { return VALUE(0); }

uint total(uint before, VALUE sum, VALUE bias) {
    return BITS_OF(MORE ? plus(VALUE_OF(before), sum) : sum);
}

void store_one(uint at, uint bits) { dst[at] = bits; }
#endif

// Row i of the tile, which is row `down` of the product.
void store_row(uint i, uint base, uint down, uint column) {
    if (RAGGED && down >= sizes[1]) return;
    uint start = base + down * strides[1][DST];
    VALUE biases[4];
    if (BIAS == OF_ROWS) biases[0] = biases[1] = biases[2] = biases[3] = bias_at(down);
    const uint each = DST_QUADS ? 4 : PAIRS ? 2 : 1;
    [[unroll]] for (uint j = 0; j < COLUMNS; j += each) {
        uint across = column + NTH(j, BLOCK_ACROSS);
        if (RAGGED && across >= sizes[0]) continue;
        if (BIAS == OF_COLUMNS) [[unroll]] for (uint k = 0; k < each; k++) biases[k] = bias_at(across + k);
        uint at = DST_QUADS ? (start + across) / 4 : start + across * strides[0][DST];
        uvec4 quad = uvec4(0);
        if (MORE && DST_QUADS) quad = dst_quads[at];
        if (MORE && !DST_QUADS) quad[0] = dst[at];
        [[unroll]] for (uint k = 0; k < each; k++) quad[k] = total(quad[k], sums[LEVELS - 1][i][j + k], biases[k]);
        if (DST_QUADS)
            dst_quads[at] = quad;
        else if (PAIRS)
            dst[at / 2] = quad[0] | quad[1] << 16;
        else
            store_one(at, quad[0]);
    }
}

// By rows in a loop, since a driver takes long to compile as many activations. The sums of the next row move up,
// so that none needs an index that is not constant, which would keep all of them in memory.
void store(uint base, uint row, uint column) {
    if (BY_ROWS)
        for (uint i = 0; i < ROWS; i++) {
            store_row(0, base, row + NTH(i, BLOCK_DOWN), column);
            [[unroll]] for (uint k = 1; k < ROWS; k++)
                [[unroll]] for (uint j = 0; j < COLUMNS; j++) sums[LEVELS - 1][k - 1][j] = sums[LEVELS - 1][k][j];
        }
    else
        [[unroll]] for (uint i = 0; i < ROWS; i++) store_row(i, base, row + NTH(i, BLOCK_DOWN), column);
}

void unit(uint n, bool whole) {
    uint block, across = NUMBER % BLOCK_ACROSS, down = NUMBER / BLOCK_ACROSS % BLOCK_DOWN;
#ifdef TEAM
    // Of 32 neighbours, four read each quad of columns and eight each quad of rows.
    across = NUMBER % 8 + NUMBER / (8 * BLOCK_DOWN) * 8;
    down = NUMBER / 8 % BLOCK_DOWN;
#endif
    uint left = divide(n / TILES, groups, groups_reciprocal, block);
    uint row = block * BLOCK_DOWN * ROWS + down * APART(ROWS);
    left = divide(left, extent, extent_reciprocal, block);
    uint column = block * BLOCK_ACROSS * COLUMNS + across * APART(COLUMNS);
    PLACE at = bases;
    [[unroll]] for (uint k = 2; k < RANK; k++) at += take(left, k) * strides[k];
    a_start(at.x, row);
    b_start(at.y, column);
    clear(1);
    for (uint start = 0; start < push.depth; start += RUN_OF_SUM) {
#ifdef TEAM
        if (LEVELS > 1 || start == 0)  // one level: a sum of all terms, or those of a single run
#endif
            clear(0);
        for (uint k = start; k < min(start + RUN_OF_SUM, push.depth); k += TERMS) add_products();
        rise();
    }
    store(at.z, row, column);
}

void main() { run(); }
