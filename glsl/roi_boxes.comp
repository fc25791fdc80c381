#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The maximum of a box of an image for each element of dst, which has the dims (regions, channels, rows, columns),
// packed. A row of `table` has the words of a region: its image, the first row and the end of each row of boxes,
// and likewise of each column. A launch takes a tile of the image; a further one continues with what is in dst.
#define BASES src_base, table_base, dst_base
#define FROM push.src_base
#define MAX_RANK 1
#define EXTRA uint counts[3], steps[4], tile[4];
#include "index/index.glsl"
#include "index/row.glsl"

#define CHANNELS push.counts[0]
#define ROWS push.counts[1]
#define COLUMNS push.counts[2]

layout(constant_id = 8) const bool MORE = false;  // continue with dst

layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 1) readonly buffer Table { uint table[]; };
layout(binding = 2) buffer Dst { uint dst[]; };

const int NAN_KEY = 0x7fffffff;

// A float as an integer in the same order; -0 equals 0, and NaN is above everything.
int key_of(uint raw) {
    uint magnitude = raw & 0x7fffffffu;
    int key = int(raw) < 0 ? -int(magnitude) : int(magnitude);
    return magnitude > 0x7f800000u ? NAN_KEY : key;
}

void make(uint element) {
    uint column = element % COLUMNS, rest = element / COLUMNS;
    uint row = rest % ROWS, plane = rest / ROWS;
    uint channel = plane % CHANNELS, region = plane / CHANNELS;
    uint at = push.table_base + region * (1 + 2 * ROWS + 2 * COLUMNS), down = at + 1 + row;
    uint right = at + 1 + 2 * ROWS + column;
    uint top = table[down], bottom = table[down + ROWS], left = table[right], end = table[right + COLUMNS];
    bool empty = top >= bottom || left >= end;
    uint image = push.src_base + table[at] * push.steps[0] + channel * push.steps[1];
    uint found = MORE ? dst[push.dst_base + element] : 0xff800000u;
    int key = key_of(found);
    for (uint y = max(top, push.tile[0]); y < min(bottom, push.tile[1]); y++)
        for (uint x = max(left, push.tile[2]); x < min(end, push.tile[3]); x++) {
            uint raw = src[image + y * push.steps[2] + x * push.steps[3]];
            int other = key_of(raw);
            bool better = other > key || other == NAN_KEY;
            found = better ? raw : found;
            key = better ? other : key;
        }
    dst[push.dst_base + element] = empty ? 0 : found;
}

void unit(uint n, bool whole) {
    for (uint k = n * UNIT; k < min(n * UNIT + UNIT, extent); k++) make(k);
}

void main() { run(); }
