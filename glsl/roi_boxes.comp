#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The maximum of a box of an image for each element of dst. A row of the table has the image of a region, the
// first row and the end of each row of boxes, and likewise of each column. A launch takes a tile of the image;
// a further one continues with what is in dst.
#define EXTRA uint counts[3], steps[4], tile[4];
#define ROW_WORDS 1 + 2 * ROWS + 2 * COLUMNS
#include "families/roi.glsl"

layout(constant_id = 8) const bool MORE = false;  // continue with dst

uint make(uint element, uint at, uint image, uint row, uint column) {
    uint down = at + 1 + row, across = at + 1 + 2 * ROWS + column;
    uint top = table[down], bottom = table[down + ROWS];
    uint left = table[across], right = table[across + COLUMNS];
    uint found = MORE ? dst[push.dst_base + element] : LOWEST;
    for (uint y = max(top, push.tile[0]); y < min(bottom, push.tile[1]); y++)
        for (uint x = max(left, push.tile[2]); x < min(right, push.tile[3]); x++)
            found = larger(found, src[image + y * push.steps[2] + x * push.steps[3]]);
    return top >= bottom || left >= right ? 0 : found;
}

void main() { run(); }
