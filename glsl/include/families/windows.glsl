// Tiles of DOWN by ACROSS neighbouring windows, in one channel or in four. A tile reads each row of x once for all
// of its windows. Their elements are taken in row-major order; what is in the padding is neither read nor taken.
// Dims 0 and 1 are the last two spatial dims. Before it includes this, the includer defines TILE_PARAMETERS among
// its own, ELEMENT, what is kept of an element of x, and
//   ELEMENT element_of(uint raw);
// and it defines the functions that are declared below.

layout(constant_id = 4) const uint CHANNELS = 1;  // 1 or 4
layout(constant_id = 5) const uint DOWN = 1;
layout(constant_id = 6) const uint ACROSS = 4;  // 4 or 8
layout(constant_id = 7) const uint X_READ = 0;
layout(constant_id = 8) const bool DST_QUADS = false;   // four elements of dst at once
layout(constant_id = 9) const bool ONE_BY_ONE = false;  // finish quads in a loop
layout(constant_id = 10) const uint X_TYPE = FLOAT32;   // of 16 or 32 bits
layout(constant_id = 11) const uint DST_TYPE = FLOAT32;
// Of each spatial dim, the last one first: elements of a window, and from one to the next; the step from one
// window to the next; the padding before the first element.
layout(constant_id = 12) const uint WINDOW_0 = 1;
layout(constant_id = 13) const uint WINDOW_1 = 1;
layout(constant_id = 14) const uint WINDOW_2 = 1;
layout(constant_id = 15) const uint DILATION_0 = 1;
layout(constant_id = 16) const uint DILATION_1 = 1;
layout(constant_id = 17) const uint DILATION_2 = 1;
layout(constant_id = 18) const uint STRIDE_0 = 1;
layout(constant_id = 19) const uint STRIDE_1 = 1;
layout(constant_id = 20) const uint STRIDE_2 = 1;
layout(constant_id = 21) const uint PADDING_0 = 0;
layout(constant_id = 22) const uint PADDING_1 = 0;
layout(constant_id = 23) const uint PADDING_2 = 0;
// Of what a tile reads: the elements of a row, and the rows, that are not in the padding of any tile.
layout(constant_id = 24) const uint SURE_FROM_0 = 0;
layout(constant_id = 25) const uint SURE_FROM_1 = 0;
layout(constant_id = 26) const uint SURE_TO_0 = 0;
layout(constant_id = 27) const uint SURE_TO_1 = 0;
layout(constant_id = 28) const bool SURE_2 = false;  // no window extends beyond x in dim 2
// What the push block has of the other spatial dims: sizes and strides.
layout(constant_id = 29) const uint DST_SIZE_2 = 1;
layout(constant_id = 30) const uint X_SIZE_2 = 1;
layout(constant_id = 31) const uint X_STRIDE_2 = 0;
layout(constant_id = 32) const uint DST_STRIDE_2 = 0;
#define NEXT_SPEC 33

#define BY_ELEMENTS 0
#define BY_CHANNELS 1  // four channels
#define BY_LINE 2      // four positions, where they are a quad

layout(binding = 0) readonly buffer X { uint x_words[]; };
layout(binding = 0) readonly buffer XQuads { uvec4 x_quads[]; };
layout(binding = DST) buffer Dst { uint dst_words[]; };
layout(binding = DST) writeonly buffer DstQuads { uvec4 dst_quads[]; };

const uint WIDE = (ACROSS - 1) * STRIDE_0 + (WINDOW_0 - 1) * DILATION_0 + 1;  // what a tile reads
const uint HIGH = (DOWN - 1) * STRIDE_1 + (WINDOW_1 - 1) * DILATION_1 + 1;
// Of results: of the channels of a window, or of windows side by side.
const uint QUADS_ACROSS = CHANNELS * ACROSS / 4, QUADS = DOWN * QUADS_ACROSS;

ELEMENT line[CHANNELS][WIDE];  // of a row of x
uint inside[WIDE];             // whether it is not left or right of x
uvec4 results[QUADS];

void clear();
// Before windows' elements with index z in dim 2.
void start_plane(uint channel, uint z);
// Take elements of `line`: row t of the windows in row r of the tile. They are there, or else the function asks
// `is_there`.
void take(uint r, uint t, bool sure, bool there);
void fill_results(uint channel);
// The bits of the result of windows that start with this one.
uvec4 finished(uvec4 result, uvec3 window);

bool is_sure(uint k, bool sure) { return sure && k >= SURE_FROM_0 && k < SURE_TO_0; }
bool is_there(uint k, bool there) { return there && inside[k] != 0; }

ELEMENT x_element(uint at) {
    uint bits = bits_of(X_TYPE), word = x_words[at / (32 / bits)];
    if (bits < 32) word = word >> at % (32 / bits) * bits & (1u << bits) - 1;
    return element_of(word);
}

// Four elements that start at a multiple of four.
ELEMENT[4] x_run(uint at) {
    uvec4 raw;
    if (bits_of(X_TYPE) == 32) {
        raw = x_quads[at / 4];
    } else {
        uint low = x_words[at / 2], high = x_words[at / 2 + 1];
        raw = uvec4(low & 0xffffu, low >> 16, high & 0xffffu, high >> 16);
    }
    ELEMENT run[4];
    [[unroll]] for (uint k = 0; k < 4; k++) run[k] = element_of(raw[k]);
    return run;
}

// What is outside is not read: its address is that of x itself.
void load_line(uint from, bool sure, bool there) {
    [[unroll]] for (uint k = 0; k < WIDE; k++) {
        uint at = from + k * strides[0].x, lead = X_READ == BY_LINE ? (k - PADDING_0) % 4 : 0;
        bool by_quad = X_READ == BY_LINE && k >= lead && k - lead + 4 <= WIDE;
        if (!is_sure(k, sure)) at = is_there(k, there) ? at : bases.x;
        if (X_READ == BY_CHANNELS) {
            ELEMENT run[4] = x_run(at);
            [[unroll]] for (uint c = 0; c < CHANNELS; c++) line[c][k] = run[c];
        } else if (!by_quad) {
            [[unroll]] for (uint c = 0; c < CHANNELS; c++) line[c][k] = x_element(at + c * push.x_channel);
        } else if (lead == 0) {
            ELEMENT run[4] = x_run(at);
            [[unroll]] for (uint next = 0; next < 4; next++) line[0][k + next] = run[next];
        }
    }
}

void store_element(uint at, uint bits) {
    if (bits_of(DST_TYPE) == 32) {
        dst_words[at] = bits;
        return;
    }
    uint by = at % 2 * 16;
    atomicAnd(dst_words[at / 2], ~(0xffffu << by));
    atomicOr(dst_words[at / 2], bits << by);
}

// Quad q of a tile whose first window is `first`, and whose first element is at dst_at.
void put(uint q, uvec4 result, uvec3 first, uint dst_at) {
    uint r = q / QUADS_ACROSS, j = q % QUADS_ACROSS * (4 / CHANNELS);
    uint at = dst_at + r * strides[1][DST] + j * strides[0][DST];
    uvec3 window = first + uvec3(j, r, 0);
    uvec4 quad = finished(result, window);
    bool there = window.y < sizes[1] && window.x < sizes[0];
    if (DST_QUADS && bits_of(DST_TYPE) == 32) {
        if (there) dst_quads[at / 4] = quad;
    } else if (DST_QUADS) {
        if (there) dst_words[at / 2] = quad.x | quad.y << 16;
        if (there) dst_words[at / 2 + 1] = quad.z | quad.w << 16;
    } else
        [[unroll]] for (uint k = 0; k < 4; k++) {
            uint next = CHANNELS == 1 ? strides[0][DST] : push.dst_channel;
            bool here = there && window.x + (CHANNELS == 1 ? k : 0) < sizes[0];
            if (here) store_element(at + k * next, quad[k]);
        }
}

void unit(uint n, bool whole) {
    // Neighbouring lanes have what is neighbouring in memory: channels, or else tiles.
    uint rest, across, channel = divide(n, groups, groups_reciprocal, rest), tile = rest;
    if (CHANNELS > 1) {
        tile = channel;
        channel = rest * CHANNELS;
    }
    tile = divide(tile, extent, extent_reciprocal, across);
    uvec3 first = uvec3(across * ACROSS, tile % push.tiles_down * DOWN, 0);
    uint image = tile / push.tiles_down;
    if (DST_SIZE_2 > 1) {
        first.z = image % DST_SIZE_2;
        image /= DST_SIZE_2;
    }
    uint dst_at = bases[DST] + image * push.dst_sample + channel * push.dst_channel + first.x * strides[0][DST] +
                  first.y * strides[1][DST] + first.z * DST_STRIDE_2;
    uvec3 start = first * uvec3(STRIDE_0, STRIDE_1, STRIDE_2) - uvec3(PADDING_0, PADDING_1, PADDING_2);
    uint x_at = bases.x + image * push.x_sample + channel * push.x_channel + start.x * strides[0].x +
                start.y * strides[1].x + start.z * X_STRIDE_2;
    [[unroll]] for (uint k = 0; k < WIDE; k++) inside[k] = start.x + k < push.inner_size ? 1 : 0;
    clear();
    for (uint z = 0; z < WINDOW_2; z++) {
        start_plane(channel, z);
        bool here = SURE_2 || start.z + z * DILATION_2 < X_SIZE_2;
        uint plane_at = x_at + z * DILATION_2 * X_STRIDE_2;
        [[unroll]] for (uint y = 0; y < HIGH; y++) {
            bool sure = SURE_2 && y >= SURE_FROM_1 && y < SURE_TO_1;
            bool there = here && start.y + y < push.outer_size;
            load_line(plane_at + y * strides[1].x, sure, there);
            [[unroll]] for (uint r = 0; r < DOWN; r++) {
                uint down = y - r * STRIDE_1, t = down / DILATION_1;
                if (y >= r * STRIDE_1 && down % DILATION_1 == 0 && t < WINDOW_1) take(r, t, sure, there);
            }
        }
    }
    fill_results(channel);
    if (ONE_BY_ONE)
        // Since a driver takes long to compile as many functions. The next results move up, so that none needs an
        // index that is not constant, which would keep all of them in memory.
        for (uint q = 0; q < QUADS; q++) {
            put(q, results[0], first, dst_at);
            [[unroll]] for (uint k = 1; k < QUADS; k++) results[k - 1] = results[k];
        }
    else
        [[unroll]] for (uint q = 0; q < QUADS; q++) put(q, results[q], first, dst_at);
}
