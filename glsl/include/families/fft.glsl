// What the kernels of Fourier transforms share: reading and writing elements, and the table of roots. A unit is an
// index of the dims of the push block; along another dim it reads points `src_step` apart and writes them
// `dst_step` apart, all counted in real numbers. SOURCE and TARGET say how real and imaginary parts lie.
#define BASES src_base, table_base, dst_base
#define FROM push.src_base
#define MAX_RANK 4
#define EXTRA uint src_step, src_im, dst_step, dst_im, span, turn, there, kept, scale[2], src_next, dst_next;
#include "index/index.glsl"
#include "math/butterfly.glsl"

const uint APART = 0u;       // the imaginary part is `im` after the real one
const uint PAIRED = 1u;      // right after it
const uint ALONE = 2u;       // there is only a real part
const uint CONJUGATED = 4u;  // one of these, with the other sign of imaginary parts

layout(constant_id = 4) const uint SOURCE = PAIRED;
layout(constant_id = 5) const uint TARGET = PAIRED;
layout(constant_id = 6) const uint CAPTURED = 0u;  // the dim whose index tells where in a transform a unit is
layout(constant_id = 7) const uint PADDED = 0u;    // points from `there` on are 0; 2: real numbers are
layout(constant_id = 8) const bool CUT = false;    // results from `kept` on are not written
layout(constant_id = 9) const bool SCALED = false;
// Of a convolution with a chirp (Bluestein): what points are multiplied by when they are read, and when written.
layout(constant_id = 10) const uint BEFORE = 0u;
layout(constant_id = 11) const uint AFTER = 0u;
#define NEXT_SPEC 12

const uint CHIRP = 1u;     // that of the convolution
const uint SPECTRUM = 2u;  // the transform of its inverse

// Words, which are read and written as 64-bit integers where that gains.
#ifdef DOUBLE
#define WORDS uvec4
#define TO_PAIR(words) words
#define TO_WORDS(pair) pair
#else
#define WORDS uvec2
#define TO_PAIR(words) uintBitsToFloat(words)
#define TO_WORDS(pair) floatBitsToUint(pair)
layout(binding = 0) readonly buffer SrcQuads { uvec4 src_quads[]; };
layout(binding = 2) writeonly buffer DstQuads { uvec4 dst_quads[]; };
#endif
layout(binding = 0) readonly buffer Src { REAL src[]; };
layout(binding = 0) readonly buffer SrcPairs { WORDS src_pairs[]; };
layout(binding = 1) readonly buffer Table { WORDS table[]; };
layout(binding = 2) writeonly buffer Dst { REAL dst[]; };
layout(binding = 2) writeonly buffer DstPairs { WORDS dst_pairs[]; };

PAIR root(uint index) { return TO_PAIR(table[push.table_base + index]); }

uint wide = 0;  // points of a transform of a convolution: after their roots come the spectrum and the chirp

bool is_beyond(uint index) {
    return PADDED == 1u && index >= push.there || PADDED == 2u && 2 * index >= push.there;
}

PAIR prepared(PAIR value, uint index) {
    if (SOURCE >= CONJUGATED) IM(value) = negated(IM(value));
    if (BEFORE == CHIRP) value = pair_times(value, root(2 * wide + index));
    // Conjugates are transformed back.
    if (BEFORE == SPECTRUM) value = conjugated(pair_times(value, root(wide + index)));
    return value;
}

PAIR load(uint at, uint index) {
    const uint kind = SOURCE & 3u;
    if (is_beyond(index)) return pair(ZERO, ZERO);
    PAIR value;
    if (kind == ALONE || PADDED == 2u && 2 * index + 1 >= push.there)
        value = pair(src[at], ZERO);
    else if (kind == PAIRED)
        value = TO_PAIR(src_pairs[at / 2]);
    else
        value = pair(src[at], src[at + push.src_im]);
    return prepared(value, index);
}

PAIR finished(PAIR value, uint index) {
    if (AFTER == CHIRP) value = pair_times(conjugated(value), root(2 * wide + index));
    if (SCALED) value = pair_scaled(value, REAL_WORDS(uvec2(push.scale[0], push.scale[1])));
    if (TARGET >= CONJUGATED) IM(value) = negated(IM(value));
    return pair(stored(RE(value)), stored(IM(value)));
}

void store(uint at, uint index, PAIR value) {
    const uint kind = TARGET & 3u;
    if (CUT && index >= push.kept) return;
    value = finished(value, index);
    if (kind == PAIRED) {
        dst_pairs[at / 2] = TO_WORDS(value);
    } else {
        dst[at] = RE(value);
        if (kind == APART) dst[at + push.dst_im] = IM(value);
    }
}

#ifndef DOUBLE
// Two points side by side in memory, of which both are there or neither is.
void load_two(uint at, uint first_index, uint second_index, out PAIR first, out PAIR second) {
    first = second = pair(ZERO, ZERO);
    if (is_beyond(first_index)) return;
    vec4 both = uintBitsToFloat(src_quads[at / 4]);
    first = prepared(both.xy, first_index);
    second = prepared(both.zw, second_index);
}

void store_two(uint at, uint first_index, uint second_index, PAIR first, PAIR second) {
    if (CUT && first_index >= push.kept) return;
    vec4 both = vec4(finished(first, first_index), finished(second, second_index));
    dst_quads[at / 4] = floatBitsToUint(both);
}
#endif

uint captured = 0;  // the index of the unit along the dim CAPTURED

PLACE place_of(uint n) {
    PLACE at = bases;
    [[unroll]] for (uint k = 0; k < RANK; k++) {
        uint index = take(n, k);
        at += index * strides[k];
        if (k == CAPTURED) captured = index;
    }
    return at;
}
