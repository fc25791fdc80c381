// Reductions. An element of dst is computed from up to `block` leaves, elements of src, in the order that
// dml_vk/ops/reduce.py specifies. A unit computes one element or, if ACROSS is defined, four whose leaves
// lie side by side in src. If TEAM is, a workgroup computes several of these together.
//
// The includer defines VALUE; `leaf_value`, which makes a VALUE from a leaf's bits and index; `combine`,
// whose left operand has the lower indexes; `identity`, the neutral element, which stands for missing
// leaves; and `element_of`, which makes an element of type T, a uint if it is smaller. It may define TREE or
// CHAIN, which keep the order of the leaves; otherwise QUADS, the number of quads to process at once. AT_ONCE
// is for teams: see reduce_team.glsl.

// If it defines TWICE, it also defines SOURCES and what depends on it, `started`, which is called with the
// place of each element of dst, `TWICE`, whether leaves are reduced again, and `settle`, which is called
// with their first result before.

// The second source has no memory: its addresses are the indexes of the first leaves.
#ifndef SOURCES
#define SOURCES 2
#define BASES src_base, dst_base
#define FROM push.src_base, 0u
#define MAX_RANK 4
#define DST 1
// There are `leaves` in all. Their dims are innermost first; the outermost has no end of its own.
#define EXTRA uint block, leaves, ends[3], steps[4];
#endif
#include "index/index.glsl"
#include "types/types.glsl"

const uint PARTIAL = 255;  // not a type of elements: a value of 128 bits from an earlier pass
#define UNEVEN (GAPS || A_TYPE == PARTIAL)  // leaves may have different numbers of elements
const uint BY_ELEMENTS = 0, BY_WORDS = 1, BY_QUADS = 2;

layout(constant_id = 4) const uint OP = 0;
layout(constant_id = 5) const uint TYPE = FLOAT32;    // of dst
layout(constant_id = 6) const uint A_TYPE = FLOAT32;  // of src
layout(constant_id = 7) const uint READ = 0;
layout(constant_id = 8) const uint LEAF_RANK = 1;
layout(constant_id = 9) const uint TIERS = 3;          // of a tree, each of 16 times as many chunks
layout(constant_id = 10) const bool GAPS = true;       // the last chunk may not be full
layout(constant_id = 11) const bool DST_QUADS = false;  // a unit writes a quad of dst
layout(constant_id = 12) const uint MEMBERS = 1;  // of a team: invocations per result, a power of two

layout(binding = 0) readonly buffer Src { uint src_words[]; };
layout(binding = 0) readonly buffer SrcPairs { uvec2 src_pairs[]; };
layout(binding = 0) readonly buffer SrcQuads { uvec4 src_quads[]; };
layout(binding = DST) buffer Dst { T dst[]; };
layout(binding = DST) writeonly buffer DstQuads { uvec4 dst_quads[]; };

#ifdef TWICE
void started(PLACE at);
void settle(VALUE first);
// In a loop, since a driver takes long to compile leaves twice.
#define REDUCE(node, first, reduced)                            \
    for (uint times = 0; times < (TWICE ? 2 : 1); times++) {    \
        if (times > 0) settle(first);                           \
        node = reduced;                                         \
    }
#else
#define REDUCE(node, first, reduced) node = reduced;
#endif

VALUE identity();
VALUE combine(VALUE left, VALUE right);
VALUE leaf_value(uvec4 raw, uint index);
T element_of(VALUE value);

#ifdef ACROSS
#define WIDTH 4
#else
#define WIDTH 1
#endif

#include "families/node.glsl"

// The first leaf's place, the number of leaves, how many lie side by side, and the next leaf's address.
PLACE root;
uint count, side, next, coordinates[4];

// Let leaf i be the next whose address is computed.
void seek(uint i) {
    next = root.x;
    if (LEAF_RANK == 1) return;
    uint left = root.y + i;
    [[unroll]] for (uint k = 0; k < LEAF_RANK; k++) {
        coordinates[k] = k + 1 < LEAF_RANK ? left % push.ends[k] : left;
        if (k + 1 < LEAF_RANK) left /= push.ends[k];
        next += coordinates[k] * push.steps[k];
    }
}

void start(PLACE at) {
    root = at;
    count = min(push.block, push.leaves - at.y);
    seek(0);
}

// The address of leaf i, called for each i in order; for a missing leaf, that of another one.
uint address(uint i) {
    bool there = !GAPS || i < count;
    if (LEAF_RANK == 1) return root.x + (there ? i : 0) * push.steps[0];
    uint at = there ? next : root.x;
    next += push.steps[0];
    coordinates[0]++;
    [[unroll]] for (uint k = 0; k + 1 < LEAF_RANK; k++) {
        bool carry = coordinates[k] == push.ends[k];
        coordinates[k] = carry ? 0 : coordinates[k];
        coordinates[k + 1] += uint(carry);
        next += carry ? push.steps[k + 1] - push.ends[k] * push.steps[k] : 0;
    }
    return at;
}

uint src_bits() { return A_TYPE == PARTIAL ? 128 : bits_of(A_TYPE); }

// Element k of a quad, or of the part that was read.
uvec4 part(uvec4 quad, uint k) {
    uint bits = src_bits();
    if (bits == 64) return uvec4(quad[2 * k], quad[2 * k + 1], 0, 0);
    if (bits == 32) return uvec4(quad[k], 0, 0, 0);
    return uvec4(quad[k * bits / 32] >> k * bits % 32 & (1u << bits) - 1, 0, 0, 0);
}

uvec4 element(uint at) {
    uint bits = src_bits();
    if (bits == 128) return src_quads[at];
    if (bits == 64) return uvec4(src_pairs[at], 0, 0);
    if (bits == 32) return uvec4(src_words[at], 0, 0, 0);
    uint per = 32 / bits;
    return uvec4(src_words[at / per] >> at % per * bits & (1u << bits) - 1, 0, 0, 0);
}

VALUE value(uvec4 raw, uint i) {
    VALUE found = leaf_value(raw, root.y + i);
    if (GAPS && i >= count) found = identity();
    return found;
}

#ifdef ACROSS
Node leaf(uint i) {
    Node node;
    uint at = address(i), bits = src_bits();
    if (READ == BY_ELEMENTS) {
        [[unroll]] for (uint k = 0; k < WIDTH; k++) node.at[k] = value(element(at + min(k, side - 1)), i);
        return node;
    }
    uvec4 quad, more;
    if (bits == 64) {
        quad = src_quads[at / 2];
        more = src_quads[at / 2 + 1];
    } else if (bits == 32)
        quad = src_quads[at / 4];
    else
        quad = uvec4(src_words[at / (32 / bits)], bits == 16 ? src_words[at / 2 + 1] : 0, 0, 0);
    [[unroll]] for (uint k = 0; k < WIDTH; k++)
        node.at[k] = value(bits == 64 && k > 1 ? part(more, k - 2) : part(quad, k), i);
    return node;
}
#elif !defined(CHAIN) || defined(TEAM)
// A quad's worth of leaves from i on. Nothing after the last leaf's word is read.
uvec4 quad_from(uint i) {
    uint bits = src_bits(), at = root.x + i, end = root.x + count - 1;
    if (READ == BY_QUADS) return src_quads[(GAPS ? min(at, end) : at) / (128 / bits)];
    if (bits == 64) return uvec4(src_pairs[min(at, end)], src_pairs[min(at + 1, end)]);
    uvec4 quad;
    if (bits == 32) {
        [[unroll]] for (uint k = 0; k < 4; k++) quad[k] = src_words[min(at + k, end)];
        return quad;
    }
    uint per = 32 / bits, last = end / per, shift = at % per * bits;
    uint word = src_words[min(at / per, last)];
    [[unroll]] for (uint k = 0; k < 4; k++) {
        uint above = src_words[min(at / per + k + 1, last)];
        quad[k] = word >> shift | above << 1 << 31 - shift;
        word = above;
    }
    return quad;
}
#endif

#ifdef TREE
// CHUNK leaves from i on, combined as a tree.
#ifdef CHUNKED
#define CHUNK (A_TYPE == PARTIAL ? 4 : 16)
VALUE value_of_chunk(float elements[16], uint there);

Node chunk(uint i) {
    Node node;
#ifndef ACROSS
    if (A_TYPE == PARTIAL) {
        VALUE leaves[4];
        [[unroll]] for (uint k = 0; k < 4; k++) leaves[k] = value(element(address(i + k)), i + k);
        node.at[0] = combine(combine(leaves[0], leaves[1]), combine(leaves[2], leaves[3]));
        return node;
    }
#endif
    float elements[WIDTH][16];
    [[unroll]] for (uint k = 0; k < 16; k++) {
#ifdef ACROSS
        uint at = address(i + k), bits = src_bits();
        uvec4 quad;
        if (READ == BY_QUADS && bits == 32) quad = src_quads[at / 4];
        if (READ == BY_QUADS && bits == 16) quad = uvec4(src_words[at / 2], src_words[at / 2 + 1], 0, 0);
        [[unroll]] for (uint w = 0; w < WIDTH; w++) {
            uvec4 raw = READ == BY_QUADS ? part(quad, w) : element(at + min(w, side - 1));
            elements[w][k] = decode(raw.xy, A_TYPE);
        }
#else
        if (READ == BY_ELEMENTS) elements[0][k] = decode(element(address(i + k)).xy, A_TYPE);
#endif
    }
#ifndef ACROSS
    if (READ != BY_ELEMENTS) {
        uint per = 128 / src_bits();
        [[unroll]] for (uint q = 0; q < 16 / per; q++) {
            uvec4 quad = quad_from(i + q * per);
            [[unroll]] for (uint k = 0; k < per; k++)
                elements[0][q * per + k] = decode(part(quad, k).xy, A_TYPE);
        }
    }
#endif
    uint there = GAPS ? min(16u, count - i) : 16u;
    [[unroll]] for (uint w = 0; w < WIDTH; w++) node.at[w] = value_of_chunk(elements[w], there);
    return node;
}
#elif defined(ACROSS)
#define CHUNK 4
Node chunk(uint i) {
    // In variables, since the order in which arguments are evaluated is undefined.
    Node first = leaf(i), second = leaf(i + 1);
    Node third = leaf(i + 2), fourth = leaf(i + 3);
    return join(join(first, second), join(third, fourth));
}
#else
#define CHUNK (READ == BY_ELEMENTS ? 4 : 512 / src_bits())

VALUE four(uvec4 quad, uint k, uint i) {
    VALUE low = combine(value(part(quad, k), i), value(part(quad, k + 1), i + 1));
    return combine(low, combine(value(part(quad, k + 2), i + 2), value(part(quad, k + 3), i + 3)));
}

VALUE quad_tree(uint i) {
    uvec4 quad = quad_from(i);
    VALUE low = four(quad, 0, i);
    if (src_bits() == 32) return low;
    return combine(low, four(quad, 4, i + 4));
}

Node chunk(uint i) {
    Node node;
    uint per = 128 / src_bits();
    VALUE leaves[4];
    [[unroll]] for (uint k = 0; k < 4; k++) {
        if (READ == BY_ELEMENTS)
            leaves[k] = value(element(address(i + k)), i + k);
        else
            leaves[k] = quad_tree(i + k * per);
    }
    node.at[0] = combine(combine(leaves[0], leaves[1]), combine(leaves[2], leaves[3]));
    return node;
}
#endif

#include "families/tree.glsl"
#elif defined(CHAIN)
// The same tree for a `combine` of much code: two leaves at a time, and an indexed array of left halves.
Node reduced() {
    VALUE waiting[13];
    uint n = 0;
    for (uint i = 0; i < count; i += 2) {
        VALUE left = value(element(address(i)), i);
        VALUE node = combine(left, value(element(address(i + 1)), i + 1));
        uint k = 0;
        for (; (n >> k & 1) != 0; k++) node = combine(waiting[k], node);
        waiting[k] = node;
        n++;
    }
    VALUE total = identity();
    for (uint k = 0; k < 13; k++)
        if ((n >> k & 1) != 0) total = combine(waiting[k], total);
    Node node;
    node.at[0] = total;
    return node;
}
#else
// Where the order does not matter: four leaves or more per iteration, since an iteration is expensive.
Node reduced() {
    Node total = no_node();
#ifdef ACROSS
    for (uint i = 0; i < count; i += 4)
        [[unroll]] for (uint k = 0; k < 4; k++) total = join(total, leaf(i + k));
#else
    uint per = READ == BY_ELEMENTS ? 1 : 128 / src_bits(), parts = READ == BY_ELEMENTS ? 4 : QUADS;
    for (uint i = 0; i < count; i += parts * per)
        [[unroll]] for (uint k = 0; k < parts; k++) {
            uint at = i + k * per;
            uvec4 raw = READ == BY_ELEMENTS ? element(address(at)) : quad_from(at);
            [[unroll]] for (uint j = 0; j < per; j++) {
                VALUE next = value(READ == BY_ELEMENTS ? raw : part(raw, j), at + j);
                total.at[0] = combine(total.at[0], next);
            }
        }
#endif
    return total;
}
#endif

// An element of type T, or a smaller one, whose word other invocations may change at the same time.
void store(uint at, T element) {
#if BITS == 32
    uint bits = bits_of(TYPE);
    if (bits < 32) {
        uint shift = at % (32 / bits) * bits, word = at / (32 / bits);
        atomicAnd(dst[word], ~((1u << bits) - 1 << shift));
        atomicOr(dst[word], element << shift);
        return;
    }
#endif
    dst[at] = element;
}

// The place of result n, or of four side by side, whose leaves are the next to be read.
PLACE start_of(uint n) {
    uint group = take(n, 0);
    PLACE at = bases + group * strides[0];
    [[unroll]] for (uint k = 1; k < RANK; k++) at += take(n, k) * strides[k];
    side = min(WIDTH, extent - group * WIDTH);
    start(at);
#ifdef TWICE
    started(at);
#endif
    return at;
}

void write(PLACE at, Node node) {
#ifdef ACROSS
    if (DST_QUADS) {
#if BITS == 32
        dst_quads[at[SOURCES] / 4] = uvec4(element_of(node.at[0]), element_of(node.at[1]),
                                    element_of(node.at[2]), element_of(node.at[3]));
#elif BITS == 64
        dst_quads[at[SOURCES] / 2] = uvec4(element_of(node.at[0]), element_of(node.at[1]));
        dst_quads[at[SOURCES] / 2 + 1] = uvec4(element_of(node.at[2]), element_of(node.at[3]));
#endif
        return;
    }
    uint step = uint(int(strides[0][SOURCES]) >> 2);
    [[unroll]] for (uint k = 0; k < WIDTH; k++)
        if (k < side) store(at[SOURCES] + k * step, element_of(node.at[k]));
#else
    store(at[SOURCES], element_of(node.at[0]));
#endif
}

#ifdef TEAM
#include "families/reduce_team.glsl"
#else
Node reduced_from(PLACE at) {
#ifdef TWICE
    start(at);
#endif
    return reduced();
}

void unit(uint n, bool whole) {
    PLACE at = start_of(n);
    Node node;
    REDUCE(node, node.at[0], reduced_from(at))
    write(at, node);
}
#endif

void main() { run(); }
