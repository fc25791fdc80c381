#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifdef SHARED
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
// Convolutions of float32 or float16, computed in float32. A unit is a tile of ROWS channels of a group by
// COLUMNS positions. Positions are those of dst over all samples, in row-major order, so a tile may extend
// over several lines and samples. Terms are added in the order of products (families/matmul.glsl); their
// depth has the elements of a window, and for each of them the input channels of the group. Terms in the
// padding are neither read nor added.
#include "types/float_values.glsl"
#include "math/activation.glsl"
#define SOURCES 3
#define BASES x_base, weight_base, bias_base, dst_base
#define FROM push.x_base, push.weight_base, push.bias_base
// Dims 0 and 1 are the last two spatial dims. Their size is that of dst, their stride in x that of an
// element, and in weight that of an element of the window.
#define MAX_RANK 2
#define EXTRA                                                                    \
    uint inner_size, outer_size; /* of x, in dims 0 and 1 */                     \
    uint x_sample, x_channel, weight_channel, weight_input, dst_sample, dst_channel;            \
    uint inputs, channels; /* of a group */                                      \
    uint columns;          /* all positions */                                   \
    float alpha, beta;     /* of the activation */
#define DST 3
#include "index/index.glsl"

#define RUN_OF_SUM 64
#define BLOCK_OF_SUM 4096
#define MOST_TERMS (3 * BLOCK_OF_SUM)  // of a launch

layout(constant_id = 4) const uint BLOCK_ACROSS = 8;
layout(constant_id = 5) const uint BLOCK_DOWN = 1;
layout(constant_id = 6) const uint ROWS = 8;
layout(constant_id = 7) const uint COLUMNS = 8;
layout(constant_id = 8) const bool RAGGED = true;   // some tiles are partly outside
layout(constant_id = 9) const uint DEEP = 4;        // terms per step, 1 or 4; a divisor of the inputs
layout(constant_id = 10) const uint LEVELS = 3;     // levels of sums
layout(constant_id = 11) const bool BOUNDED = true; // some terms are in the padding
layout(constant_id = 12) const bool MORE = false;   // add to dst, which has the sums of the terms before
layout(constant_id = 13) const bool LAST = true;    // there are no further terms: add the bias
layout(constant_id = 14) const bool BIAS = false;
layout(constant_id = 15) const uint X_READ = 0;
layout(constant_id = 16) const uint WEIGHT_READ = 0;
layout(constant_id = 17) const uint X_TYPE = FLOAT32;
layout(constant_id = 18) const uint WEIGHT_TYPE = FLOAT32;
layout(constant_id = 19) const uint BIAS_TYPE = FLOAT32;
// Of each spatial dim, the last one first: elements of the window, and from one to the next; the step from
// one window to the next; the padding before the first element.
layout(constant_id = 20) const uint WINDOW_0 = 1;
layout(constant_id = 21) const uint WINDOW_1 = 1;
layout(constant_id = 22) const uint WINDOW_2 = 1;
layout(constant_id = 23) const uint DILATION_0 = 1;
layout(constant_id = 24) const uint DILATION_1 = 1;
layout(constant_id = 25) const uint DILATION_2 = 1;
layout(constant_id = 26) const uint STRIDE_0 = 1;
layout(constant_id = 27) const uint STRIDE_1 = 1;
layout(constant_id = 28) const uint STRIDE_2 = 1;
layout(constant_id = 29) const uint PADDING_0 = 0;
layout(constant_id = 30) const uint PADDING_1 = 0;
layout(constant_id = 31) const uint PADDING_2 = 0;
// What the push block has of the other spatial dims: sizes and strides.
layout(constant_id = 32) const uint DST_SIZE_2 = 1;
layout(constant_id = 33) const uint X_SIZE_2 = 1;
layout(constant_id = 34) const uint X_STRIDE_2 = 0;
layout(constant_id = 35) const uint WEIGHT_STRIDE_2 = 0;
layout(constant_id = 36) const uint DST_STRIDE_2 = 0;
layout(constant_id = 37) const uint BIAS_STEP = 1;
layout(constant_id = 38) const uint FIRST_TERM = 0;  // a multiple of BLOCK_OF_SUM
layout(constant_id = 39) const uint ACTIVATION = 0;  // an opcode, or 0
layout(constant_id = 40) const uint DST_TYPE = FLOAT32;
layout(constant_id = 41) const uint PAIRS = 0;  // of float16 that are a word: two positions, or two channels
layout(constant_id = 42) const bool BY_ROWS = false;  // store the results of a row after those of another

#define POSITIONS 1
#define CHANNELS 2

#define BY_ELEMENTS 0
#define BY_DEPTH 1  // four elements along the depth
#define BY_SPAN 2   // four positions or channels
#define ALL_ONES 3
#define SOURCE 0
#define SOURCE_TYPE X_TYPE
#define SPAN COLUMNS
#define DIM 0
#define READ X_READ
#define STEP push.x_channel
#define NAMED(name) x_##name
#include "families/matmul_source.glsl"
#ifdef SHARED
#define SHARED_SOURCE
#define WEIGHTS weight_OWN  // addresses of a lane
#else
#define WEIGHTS ROWS
#endif
#define SOURCE 1
#define SOURCE_TYPE WEIGHT_TYPE
#define SPAN ROWS
#define DIM 0
#define READ WEIGHT_READ
#define STEP push.weight_input
#define NAMED(name) weight_##name
#include "families/matmul_source.glsl"
#define SOURCE 2
#define SOURCE_TYPE BIAS_TYPE
#define NAMED(name) bias_##name
#include "families/matmul_element.glsl"
#undef SOURCE
#undef SOURCE_TYPE
#undef NAMED

layout(binding = DST) buffer Dst { float dst[]; };
layout(binding = DST) buffer DstWords { uint dst_words[]; };

#define NOTHING uintBitsToFloat(0x80000000u)  // -0: adding it changes no number, not even +0 or -0

float plus(float a, float b) {
    precise float sum = a + b;
    return sum;
}

float times(float a, float b) {
    precise float product = a * b;
    return product;
}

float sums[3][ROWS][COLUMNS];  // by level
float results[ROWS][COLUMNS];
uint x_columns[COLUMNS];       // the addresses of the first elements of the windows
uint weight_rows[WEIGHTS];
uvec3 positions[COLUMNS];  // the coordinates of the same elements; those in the padding are huge
uint dst_columns[COLUMNS];
uint inside[COLUMNS];
uvec3 element;  // of the window
uint from;      // the input channel

void clear(uint level) {
    [[unroll]] for (uint i = 0; i < ROWS; i++)
        [[unroll]] for (uint j = 0; j < COLUMNS; j++) sums[level][i][j] = NOTHING;
}

// The sums of a complete run, or block, are terms of the next level.
void rise(uint level) {
    if (level + 1 >= LEVELS) return;
    [[unroll]] for (uint i = 0; i < ROWS; i++)
        [[unroll]] for (uint j = 0; j < COLUMNS; j++)
            sums[level + 1][i][j] = plus(sums[level + 1][i][j], sums[level][i][j]);
}

// Columns past the end are those of the last one.
void start_columns(uint group, uint column) {
    uint channel = group * push.inputs;
    [[unroll]] for (uint j = 0; j < COLUMNS; j++) {
        uint image = RAGGED ? min(column + j, push.columns - 1) : column + j;
        uvec3 at;
        image = divide(image, sizes[0], reciprocals[0], at.x);
        image = divide(image, sizes[1], reciprocals[1], at.y);
        at.z = DST_SIZE_2 == 1 ? 0 : image % DST_SIZE_2;
        image = DST_SIZE_2 == 1 ? image : image / DST_SIZE_2;
        dst_columns[j] = bases[DST] + image * push.dst_sample + group * push.channels * push.dst_channel +
                         at.x * strides[0][DST] + at.y * strides[1][DST] + at.z * DST_STRIDE_2;
        at = at * uvec3(STRIDE_0, STRIDE_1, STRIDE_2) - uvec3(PADDING_0, PADDING_1, PADDING_2);
        positions[j] = at;
        x_columns[j] = bases.x + image * push.x_sample + channel * push.x_channel +
                       at.x * strides[0].x + at.y * strides[1].x + at.z * X_STRIDE_2;
    }
}

void start_rows(uint group, uint row) {
    [[unroll]] for (uint i = 0; i < WEIGHTS; i++) {
#ifdef SHARED
        uint across = weight_piece(i) % weight_ACROSS * (WEIGHT_READ == BY_SPAN ? 4 : 1);
        uint channel = row + across, input_by = weight_piece(i) / weight_ACROSS * push.weight_input;
#else
        uint channel = row + i, input_by = 0;
#endif
        channel = RAGGED ? min(channel, push.channels - (WEIGHT_READ == BY_SPAN ? 4 : 1)) : channel;
        weight_rows[i] = bases.y + (group * push.channels + channel) * push.weight_channel + input_by;
    }
}

// Where the current element of the window is read. What is outside is not: its address is that of x itself.
void place() {
    uvec3 by = element * uvec3(DILATION_0, DILATION_1, DILATION_2);
    uint x_by = by.x * strides[0].x + by.y * strides[1].x + by.z * X_STRIDE_2 + from * push.x_channel;
    uint weight_by = element.x * strides[0].y + element.y * strides[1].y + element.z * WEIGHT_STRIDE_2 +
                     from * push.weight_input;
    [[unroll]] for (uint i = 0; i < WEIGHTS; i++) weight_starts[i] = weight_rows[i] + weight_by;
    [[unroll]] for (uint j = 0; j < COLUMNS; j++) {
        uint at = x_columns[j] + x_by;
        if (BOUNDED) {
            uvec3 position = positions[j] + by;
            bool is_inside = position.x < push.inner_size;
            is_inside = is_inside && position.y < push.outer_size;
            is_inside = is_inside && position.z < X_SIZE_2;
            inside[j] = is_inside ? 1 : 0;
            at = is_inside ? at : bases.x;
        }
        x_starts[j] = at;
    }
}

void next() {
    from += DEEP;
    bool carry = from == push.inputs;
    from = carry ? 0 : from;
    element.x += uint(carry);
    carry = element.x == WINDOW_0;
    element.x = carry ? 0 : element.x;
    element.y += uint(carry);
    carry = element.y == WINDOW_1;
    element.y = carry ? 0 : element.y;
    element.z += uint(carry);
}

// Places are found a step ahead: a CPU takes longer to load from an address that it has just computed.
void add_products() {
    x_load();
    weight_load();
    // All terms of a sum one after the other: so a CPU, whose registers hold few sums, loads it once.
    [[unroll]] for (uint i = 0; i < ROWS; i++)
        [[unroll]] for (uint j = 0; j < COLUMNS; j++) {
            float before = sums[0][i][j], sum = before;
            [[unroll]] for (uint step = 0; step < DEEP; step++)
                sum = plus(sum, times(weight_values[i][step], x_values[j][step]));
            sums[0][i][j] = BOUNDED && inside[j] == 0 ? before : sum;
        }
    next();
    place();
}

float total(float sum, float bias) {
    if (!LAST) return sum;
    // 0 as the sum of zeros of any sign, and of nothing.
    sum = floatBitsToUint(sum) == 0x80000000u ? 0.0 : sum;
    return BIAS ? plus(sum, bias) : sum;
}

uint address(uint row, uint i, uint j) { return dst_columns[j] + (row + i) * push.dst_channel; }

bool is_there(uint row, uint column) {
    return !RAGGED || row < push.channels && column < push.columns;
}

void start_sums(uint row, uint column) {
    clear(LEVELS - 1);
    if (!MORE) return;
    [[unroll]] for (uint i = 0; i < ROWS; i++)
        [[unroll]] for (uint j = 0; j < COLUMNS; j++)
            if (is_there(row + i, column + j)) sums[LEVELS - 1][i][j] = dst[address(row, i, j)];
}

void store_half(uint at, float value) {
    uint by = at % 2 * 16;
    atomicAnd(dst_words[at / 2], ~(0xffffu << by));
    atomicOr(dst_words[at / 2], float_to_half(value) << by);
}

float activated(float value) { return activated(ACTIVATION, value, push.alpha, push.beta); }

// Store a result, or a pair.
void put(uint row, uint column, uint i, uint j, float value, float other) {
    bool there = is_there(row + i, column + j);
    uint at = address(row, i, j);
    if (DST_TYPE == FLOAT32) {
        value = activated(value);
        if (there) dst[at] = value;
    } else if (PAIRS == 0) {
        value = activated(value);
        if (there) store_half(at, value);
    } else {
        uint low = float_to_half(activated(value)), high = float_to_half(activated(other));
        if (there) dst_words[at / 2] = low | high << 16;
    }
}

const uint DOWN = PAIRS == CHANNELS ? 2 : 1, ACROSS = PAIRS == POSITIONS ? 2 : 1;  // of a pair

// In a loop over rows, since a driver takes long to compile as many activations. The results of the next row
// move up, so that none needs an index that is not constant, which would keep all of them in memory.
void put_by_rows(uint row, uint column) {
    for (uint i = 0; i < ROWS; i += DOWN) {
        [[unroll]] for (uint j = 0; j < COLUMNS; j += ACROSS)
            put(row, column, i, j, results[0][j], results[DOWN - 1][j + ACROSS - 1]);
        [[unroll]] for (uint k = DOWN; k < ROWS; k++)
            [[unroll]] for (uint j = 0; j < COLUMNS; j++) results[k - DOWN][j] = results[k][j];
    }
}

void store(uint group, uint row, uint column) {
    [[unroll]] for (uint i = 0; i < ROWS; i++) {
        float bias = 0.0;
        if (BIAS && LAST) {
            uint channel = RAGGED ? min(row + i, push.channels - 1) : row + i;
            bias = bias_element(bases.z + (group * push.channels + channel) * BIAS_STEP);
        }
        [[unroll]] for (uint j = 0; j < COLUMNS; j++) results[i][j] = total(sums[LEVELS - 1][i][j], bias);
    }
    if (BY_ROWS)
        put_by_rows(row, column);
    else
        [[unroll]] for (uint i = 0; i < ROWS; i += DOWN)
            [[unroll]] for (uint j = 0; j < COLUMNS; j += ACROSS)
                put(row, column, i, j, results[i][j], results[i + DOWN - 1][j + ACROSS - 1]);
}

void unit(uint n, bool whole) {
    uint block, across = n % BLOCK_ACROSS, down = n / BLOCK_ACROSS % BLOCK_DOWN;
    uint group = divide(n / (BLOCK_ACROSS * BLOCK_DOWN), groups, groups_reciprocal, block);
    uint row = (block * BLOCK_DOWN + down) * ROWS;
    group = divide(group, extent, extent_reciprocal, block);
    uint column = (block * BLOCK_ACROSS + across) * COLUMNS;
    start_columns(group, column);
    start_rows(group, row);
    uint depth = WINDOW_0 * WINDOW_1 * WINDOW_2 * push.inputs;
    uint last = min(FIRST_TERM + MOST_TERMS, depth), line = FIRST_TERM / push.inputs;
    from = FIRST_TERM % push.inputs;
    element = uvec3(line % WINDOW_0, line / WINDOW_0 % WINDOW_1, line / (WINDOW_0 * WINDOW_1));
    place();
    start_sums(row, column);
    for (uint block = FIRST_TERM; block < last; block += BLOCK_OF_SUM) {
        uint block_end = min(block + BLOCK_OF_SUM, last);
        if (LEVELS > 2) clear(1);
        for (uint run = block; run < block_end; run += RUN_OF_SUM) {
            uint run_end = min(run + RUN_OF_SUM, block_end);
            if (LEVELS > 1) clear(0);
            for (uint k = run; k < run_end; k += DEEP) add_products();
            rise(0);
        }
        rise(1);
    }
    store(group, row, column);
}

void main() { run(); }
