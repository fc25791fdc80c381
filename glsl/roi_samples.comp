#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The sum or the maximum of samples of an image for each element of dst. A row of the table has the image of a
// region; the start, the step and the samples for each column as floats and an integer; and likewise for rows.
#define EXTRA uint counts[3], steps[4], ends[2], offsets[3];
#define ROW_WORDS 7
#include "families/roi.glsl"

#define OUTPUT_OFFSET uintBitsToFloat(push.offsets[0])
#define INPUT_OFFSET uintBitsToFloat(push.offsets[1])
#define OUTSIDE push.offsets[2]  // the bits of what is outside

layout(constant_id = 8) const bool LARGEST = false;
layout(constant_id = 9) const bool NEAREST = false;

// Where a sample lies along one dim, between two elements.
struct Place {
    bool there;
    uint low, high;
    float share;  // of the upper one
};

Place place_of(uint at, uint sample_of, uint size) {
    float start = uintBitsToFloat(table[at]), step_by = uintBitsToFloat(table[at + 1]);
    precise float x = float(sample_of) - OUTPUT_OFFSET;
    x = x * step_by;
    x = x + start;
    x = x - INPUT_OFFSET;
    // Neither NaN nor infinite.
    bool there = (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u;
    x = there ? x : -2.0;
    there = x >= -1.0 && x <= float(size);
    float last = float(size - 1);
    x = x > 0.0 ? x : 0.0;
    x = x < last ? x : last;
    precise float middle = x + 0.5;
    uint low = uint(NEAREST ? middle : x);
    low = min(low, size - 1);
    precise float share = x - float(low);
    return Place(there, low, min(low + 1, size - 1), NEAREST ? 0.0 : share);
}

float mixed(float a, float b, float share) {
    precise float rest = 1.0 - share;
    precise float first = rest * a;
    precise float second = share * b;
    precise float sum = first + second;
    return share == 0.0 ? a : sum;  // What has no share may be infinite.
}

uint sample_at(uint image, Place down, Place right) {
    uint top = image + down.low * push.steps[2], bottom = image + down.high * push.steps[2];
    uint left = right.low * push.steps[3], end = right.high * push.steps[3];
    float a = uintBitsToFloat(src[top + left]), b = uintBitsToFloat(src[top + end]);
    float c = uintBitsToFloat(src[bottom + left]), d = uintBitsToFloat(src[bottom + end]);
    float found = mixed(mixed(a, b, right.share), mixed(c, d, right.share), down.share);
    return down.there && right.there ? floatBitsToUint(found) : OUTSIDE;
}

uint make(uint element, uint at, uint image, uint row, uint column) {
    uint across = table[at + 3], along = table[at + 6], found = LOWEST;
    precise float sum = 0.0;
    for (uint y = 0; y < along; y++) {
        Place down = place_of(at + 4, row * along + y, push.ends[0]);
        for (uint x = 0; x < across; x++) {
            uint raw = sample_at(image, down, place_of(at + 1, column * across + x, push.ends[1]));
            found = larger(found, raw);
            sum = sum + uintBitsToFloat(raw);
        }
    }
    return LARGEST ? found : floatBitsToUint(sum);
}

void main() { run(); }
