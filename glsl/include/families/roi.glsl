// Regions of an image: dst has the dims (regions, channels, rows, columns), packed, and `table` a row of words
// for each region. The includer defines EXTRA, `make(element, at, image, row, column)`, which returns the bits of an
// element from a row of the table that starts at `at` and a channel that starts at `image`, and ROW_WORDS.
#define BASES src_base, table_base, dst_base
#define FROM push.src_base
#define MAX_RANK 1
#include "index/index.glsl"
#include "index/row.glsl"

#define CHANNELS push.counts[0]
#define ROWS push.counts[1]
#define COLUMNS push.counts[2]

layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 1) readonly buffer Table { uint table[]; };
layout(binding = 2) buffer Dst { uint dst[]; };

const int NAN_KEY = 0x7fffffff;
const uint LOWEST = 0xff800000u;

// A float as an integer in the same order; -0 equals 0, and NaN is above everything.
int key_of(uint raw) {
    uint magnitude = raw & 0x7fffffffu;
    int key = int(raw) < 0 ? -int(magnitude) : int(magnitude);
    return magnitude > 0x7f800000u ? NAN_KEY : key;
}

uint larger(uint found, uint other) {
    int key = key_of(other);
    return key > key_of(found) || key == NAN_KEY ? other : found;
}

uint make(uint element, uint at, uint image, uint row, uint column);

void unit(uint n, bool whole) {
    for (uint element = n * UNIT; element < min(n * UNIT + UNIT, extent); element++) {
        uint rest = element / COLUMNS, plane = rest / ROWS;
        uint at = push.table_base + plane / CHANNELS * (ROW_WORDS);
        uint image = push.src_base + table[at] * push.steps[0] + plane % CHANNELS * push.steps[1];
        dst[push.dst_base + element] = make(element, at, image, rest % ROWS, element % COLUMNS);
    }
}
