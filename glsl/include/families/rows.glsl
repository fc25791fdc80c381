// Softmax and norms of whole rows: a unit makes the pair of numbers of a row, and then its elements. The parts
// of a row are trees of chunks of 16 elements, as in reduce.glsl, and their results the leaves of another tree.
// If ACROSS is defined, a unit does four rows that lie side by side, or one whose parts do; if TEAM is, a
// workgroup does one or more: see rows_team.glsl. The includer defines VALUE, VALUES, the numbers in one,
// `combine`, `identity`, `value_of_chunk` and `pair_of_row`.

VALUE identity();
VALUE combine(VALUE left, VALUE right);
VALUE value_of_chunk(float elements[16], uint there);
vec2 pair_of_row(VALUE value);

#ifdef ACROSS
#define WIDTH 4
#else
#define WIDTH 1
#endif
#ifndef TEAM
#include "families/node.glsl"

PLACE root;   // of the first of the elements that are reduced
uint count;  // of them

#ifdef ACROSS
vec4 four_at(uint at) {
    vec4 four;
#if BITS == 16
    uvec2 words = uvec2(a_words[at / 2], a_words[at / 2 + 1]);
    [[unroll]] for (uint k = 0; k < 4; k++) four[k] = decode(uvec2(words[k / 2] >> k % 2 * 16 & 0xffffu, 0), TYPE);
#else
    four = uintBitsToFloat(a_quads[at / 4]);
#endif
    return four;
}
#endif

#define CHUNK 16
#define UNEVEN GAPS
Node chunk(uint i) {
    float elements[WIDTH][16];
    uint there = GAPS ? min(16u, count - i) : 16u, step = row_step().x;
#ifdef ACROSS
    [[unroll]] for (uint k = 0; k < 16; k++) {
        vec4 four = four_at(root.x + (GAPS ? min(i + k, count - 1) : i + k) * step);
        [[unroll]] for (uint w = 0; w < WIDTH; w++) elements[w][k] = four[w];
    }
#else
    if (DST_QUADS) {
        [[unroll]] for (uint q = 0; q < 16; q += PER) {
            Values quad = a_run(root.x + (GAPS ? min(i + q, count - PER) : i + q));
            [[unroll]] for (uint k = 0; k < PER; k++) elements[0][q + k] = quad.at[k];
        }
    } else
        [[unroll]] for (uint k = 0; k < 16; k++) {
            PLACE at = root;
            at.x += (GAPS ? min(i + k, count - 1) : i + k) * step;
            elements[0][k] = a_element(at);
        }
#endif
    Node node;
    [[unroll]] for (uint w = 0; w < WIDTH; w++) node.at[w] = value_of_chunk(elements[w], there);
    return node;
}
#include "families/tree.glsl"
#endif

float last_of(float a, vec2 pair, float b, float c) {
    float alpha = uintBitsToFloat(push.scalars[0]), beta = uintBitsToFloat(push.scalars[1]);
    return activated(AFTER, finished(FINISH, a, pair, b, c), alpha, beta);
}

#ifdef ACROSS
// From one of the four to the next.
uint step_across(uint source) { return uint(int(JOINED ? strides[1][source] : strides[2][source]) >> 2); }

void finish_four(PLACE at, vec2 pairs[WIDTH], vec4 b, vec4 c) {
    vec4 four = four_at(at.x);
    uint made[4];
    [[unroll]] for (uint w = 0; w < WIDTH; w++) {
        PLACE place = at;
        place.yz += w * uvec2(step_across(1), step_across(2));
        float weight = b_is_still() ? b[w] : b_element(place), bias = c_is_still() ? c[w] : c_element(place);
        made[w] = encode(last_of(four[w], pairs[w], weight, bias), TYPE).x;
    }
#if BITS == 16
    dst[at.w / 2] = made[0] | made[1] << 16;
    dst[at.w / 2 + 1] = made[2] | made[3] << 16;
#else
    dst_quads[at.w / 4] = uvec4(made[0], made[1], made[2], made[3]);
#endif
}

void finish_part(PLACE at, vec2 pairs[WIDTH]) {
    vec4 b, c;
    [[unroll]] for (uint w = 0; w < WIDTH; w++) {
        PLACE place = at;
        place.yz += w * uvec2(step_across(1), step_across(2));
        b[w] = b_element(place);
        c[w] = c_element(place);
    }
    uint i = 0;
    for (; i + 4 <= sizes[0]; i += 4)
        [[unroll]] for (uint k = 0; k < 4; k++) finish_four(at + (i + k) * row_step(), pairs, b, c);
    for (; i < sizes[0]; i++) finish_four(at + i * row_step(), pairs, b, c);
}
#else
void finish_one(PLACE at, vec2 pair, float a) {
    dst[at.w] = encode(last_of(a, pair, b_element(at), c_element(at)), TYPE).x;
}

void finish_quad(PLACE at, vec2 pair, Values a) {
    Values b = b_row(at), c = c_row(at);
    uvec4 quad = uvec4(0);
    [[unroll]] for (uint k = 0; k < PER; k++) {
        uint made = encode(last_of(a.at[k], pair, b.at[k], c.at[k]), TYPE).x;
        quad[k * BITS / 32] |= made << k * BITS % 32;
    }
    if (DST_QUADS)
        dst_quads[at.w / PER] = quad;
    else
        [[unroll]] for (uint k = 0; k < 4; k++) dst[at.w + k * row_step().w] = quad[k];
}
#endif

#ifdef TEAM
#include "families/rows_team.glsl"
#else
#ifndef ACROSS
#define QUADS 4  // at once, since an iteration is expensive on a CPU

void finish_part(PLACE at, vec2 pair) {
    a_start(at);
    b_start(at);
    c_start(at);
    uint quads = sizes[0] / PER * PER, whole = sizes[0] / (PER * QUADS) * (PER * QUADS);
    for (uint i = 0; i < whole; i += PER * QUADS)
        [[unroll]] for (uint q = 0; q < QUADS; q++) {
            PLACE next = at + (i + q * PER) * row_step();
            finish_quad(next, pair, a_row(next));
        }
    for (; whole < quads; whole += PER) {
        PLACE next = at + whole * row_step();
        finish_quad(next, pair, a_row(next));
    }
    if (!DST_QUADS)
        for (uint i = whole; i < sizes[0]; i++) {
            PLACE next = at + i * row_step();
            finish_one(next, pair, a_element(next));
        }
}
#endif

void unit(uint n, bool whole) {
    PLACE row = bases + take(n, 2) * strides[2];
    row += n * strides[3];
    uint parts = PARTS ? sizes[1] : 1;
    Node none = no_node(), total = none, low[4], high[4];
    [[unroll]] for (uint k = 0; k < 4; k++) low[k] = high[k] = none;
    count = sizes[0];
    for (uint part = 0; part < parts; part++) {
        root = row + part * strides[1];
        total = reduced();
#ifdef ACROSS
        if (JOINED) total.at[0] = combine(combine(total.at[0], total.at[1]), combine(total.at[2], total.at[3]));
#endif
        if (PARTS) {
            total = grow(low, part, total);
            for (bool full = (part & 15) == 15; full; full = false) grow(high, part >> 4, total);
        }
    }
    if (PARTS) total = fold(high, parts >> 4, fold(low, parts, none));
#ifdef ACROSS
    vec2 pairs[WIDTH];
    [[unroll]] for (uint w = 0; w < WIDTH; w++) pairs[w] = pair_of_row(total.at[JOINED ? 0 : w]);
#else
    vec2 pairs = pair_of_row(total.at[0]);
#endif
    for (uint part = 0; part < parts; part++) finish_part(row + part * strides[1], pairs);
}
#endif

void main() { run(); }
