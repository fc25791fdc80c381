// Reductions of segments: of rows of src whose keys are equal, by trees. `order` has the rows in the order of their
// keys, which `keys` has, sorted. A unit is one column of a row, at a position in that order.
//
// First come the nodes of 64, then of 64^2 elements and so on, as many times as there are LEVELS. A segment has its
// nodes where it begins, which depends on values, so a node lies in memory at the number of the first 64^LEVEL
// positions in which it begins: no other node of the level begins there. Last come the results: where a segment
// begins, of its nodes and of what follows them. The order of a tree is that of the positions or, if they go
// BACKWARDS, of those from the end on.
#define SOURCES 1
#define BASES keys_base, order_base, src_base, nodes_base, dst_base
#define FROM push.src_base
#define MAX_RANK 1
// Steps in src. Results are written for keys below `keys_end`, rows of as many elements as there are columns. Trees
// of segments that are shorter than `full` are filled up with a 0, which a sum of -0.0 alone shows.
#define EXTRA uint row_step, column_step, keys_end, full;
#include "index/index.glsl"
#include "types/element.glsl"
#include "families/scan_operators.glsl"

layout(constant_id = 5) const uint TYPE = FLOAT32;       // of src
layout(constant_id = 6) const uint LEVEL = 0;            // of the nodes that are made; 0: results are
layout(constant_id = 7) const uint LEVELS = 0;           // of nodes
layout(constant_id = 8) const bool BACKWARDS = false;
layout(constant_id = 9) const bool ONTO = false;         // combine results with what dst has
const bool HAS_NODES = LEVEL > 1 || LEVELS > 0;

layout(binding = 0) readonly buffer Keys { uint keys[]; };
layout(binding = 1) readonly buffer Order { uint order[]; };
layout(binding = 2) readonly buffer Src { uint src[]; };
layout(binding = 3) readonly buffer Nodes { uint nodes[]; };
layout(binding = 4) buffer Dst { uint dst[]; };

DEFINE_ELEMENT(src_element, src)
DEFINE_ELEMENT(node_element, nodes)
DEFINE_ELEMENT(dst_element, dst)

#define LOG_WIDE 6u
#define SPAN(level) (1u << LOG_WIDE * (level))

#define WIDTH 1
#define CHUNK 4
#define TIERS 2
#include "families/node.glsl"

uint position(uint i) { return BACKWARDS ? extent - 1 - i : i; }

uint key(uint i) { return keys[push.keys_base + position(i)]; }

// Where the segment of position i begins: in steps that double, then by bisection.
uint start_of(uint i) {
    uint own = key(i), high = i;
    uint by = 1;
    for (; high >= by && key(high - by) == own; by *= 2) high -= by;
    uint low = high - min(high, by - 1);
    while (low < high) {
        uint middle = (low + high) / 2;
        bool inside = key(middle) == own;
        high = inside ? middle : high;
        low = inside ? low : middle + 1;
    }
    return low;
}

// And where it ends, likewise.
uint end_of(uint i) {
    uint own = key(i), low = i;
    uint by = 1;
    for (; extent - 1 - low >= by && key(low + by) == own; by *= 2) low += by;
    uint high = min(extent - 1, low + by - 1);
    while (low < high) {
        uint middle = (low + high + 1) / 2;
        bool inside = key(middle) == own;
        low = inside ? middle : low;
        high = inside ? high : middle - 1;
    }
    return low + 1;
}

// Leaves of a tree: from a position on, nodes of a level, 0 for elements. After them may come `rest`.
uint count, column, leaf_level, leaf_start, leaf_nodes, leaves_there;
VALUE rest;

VALUE leaf(uint i) {
    if (i >= leaves_there) return i == leaves_there ? rest : identity();
    uint at = leaf_start + (i << LOG_WIDE * leaf_level);
    if (!HAS_NODES || LEVEL == 0 && leaf_level == 0) {
        uint row = order[push.order_base + position(at)];
        return decode(src_element(push.src_base + row * push.row_step + column * push.column_step, TYPE), TYPE);
    }
    return decode(node_element(leaf_nodes + (at >> LOG_WIDE * leaf_level) * groups + column, STORED), STORED);
}

Node chunk(uint i) {
    VALUE a = leaf(i), b = leaf(i + 1), c = leaf(i + 2), d = leaf(i + 3);
    return Node(VALUE[1](combine(combine(a, b), combine(c, d))));
}

#include "families/tree.glsl"

void write(uint at, VALUE value) {
    uvec2 words = encode(value, STORED);
    dst[WORDS * at] = words.x;
    if (WORDS == 2) dst[2 * at + 1] = words.y;
}

// The node of a level that begins in the n-th of its spans.
void make_node(uint n) {
    uint span = SPAN(LEVEL), from = n * span, start = start_of(from + span - 1);
    if (start < from) start = from + (span - (from - start) % span) % span;
    if (start + span > extent || key(start + span - 1) != key(from + span - 1)) return;
    leaf_level = LEVEL - 1;
    leaf_start = start;
    leaf_nodes = push.nodes_base;
    leaves_there = count = 1u << LOG_WIDE;
    write(push.dst_base + n * groups + column, reduced().at[0]);
}

// A sum and 0.0, on the bits, since drivers leave out the addition of a constant.
VALUE with_zero(VALUE sum) {
    uvec2 words = encode(sum, STORED);
    bool is_zero = words[WORDS - 1] == 0x80000000u && (WORDS == 1 || words.x == 0);
    return is_zero && (STORED == FLOAT32 || STORED == FLOAT64) ? decode(uvec2(0), STORED) : sum;
}

void make_result(uint i) {
    uint own = key(i);
    if (i > 0 && key(i - 1) == own || own >= push.keys_end) return;
    uint there = end_of(i) - i;
    rest = identity();
    leaf_nodes = push.nodes_base;
    for (uint level = 0; level <= LEVELS; level++) {
        uint units = there >> LOG_WIDE * level, more = units;
        if (level < LEVELS) units &= SPAN(1) - 1;
        bool has_rest = level > 0 && (there & SPAN(level) - 1) != 0;
        leaf_level = level;
        leaf_start = i + (more - units << LOG_WIDE * level);
        leaves_there = units;
        count = units + uint(has_rest);
        if (count > 0) rest = reduced().at[0];
        if (level > 0) leaf_nodes += (extent >> LOG_WIDE * level) * groups;
    }
    if (there < push.full && (!BACKWARDS || i + there < extent)) rest = with_zero(rest);
    uint at = push.dst_base + own * groups + column;
    if (ONTO) rest = combine(decode(dst_element(at, STORED), STORED), rest);
    write(at, rest);
}

void unit(uint n, bool whole) {
    uint at = divide(n, groups, groups_reciprocal, column);
    if (LEVEL > 0)
        make_node(at);
    else
        make_result(at);
}
