#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Resampling: an element of dst is made from TAPS elements of src along each of up to three spatial dims, which
// are none of the dims of src here. Two further sources have no memory: their addresses are the index along
// the last spatial dim, and a linear one over the others. A table has for each dim, the last one first, and for
// each index TAPS offsets in src, and as many factors if TAPS > 1.
#define SOURCES 3
#define BASES src_base, table_base, dst_base
#define FROM push.src_base, push.scalars[0], push.scalars[1]
#define MAX_RANK 4
#define EXTRA uint scalars[4];
#define DST 2
#define UNROLL [[unroll]]
#define SECOND push.scalars[2]  // where the second dim starts in the table
#define HEIGHT push.scalars[3]  // the size of the second dim of three
#include "index/index.glsl"
#if BITS < 32
#include "index/packed.glsl"
#define T uint
#else
#include "index/words.glsl"
#endif
#include "types/half.glsl"
#include "types/types.glsl"

layout(constant_id = NEXT_SPEC) const uint TYPE = FLOAT32;
layout(constant_id = NEXT_SPEC + 1) const uint SPATIAL = 2;  // dims
layout(constant_id = NEXT_SPEC + 2) const uint TAPS = 2;

#define VALUE uint
#define SCALARS 0
struct Values {
    uint at[PER];
};
uint to_value(uvec2 words) { return words.x; }
uint decode(uvec2 raw, uint type) { return raw.x; }
#define SOURCE 0
#define SOURCE_TYPE TYPE
#define NAMED(name) x_##name
#include "families/source.glsl"
layout(binding = 1) readonly buffer Table { uint table[]; };
layout(binding = 1) readonly buffer TableQuads { uvec4 table_quads[]; };

// Where an element of dst reads along one dim.
struct Taps {
    uint at[4];
    float factors[4];
};

Taps taps_of(uint dim_start, uint index) {
    Taps taps;
    uint at = push.table_base + dim_start + index * (TAPS == 1 ? 1 : 2 * TAPS);
    if (TAPS == 1) {
        taps.at[0] = table[at];
    } else if (TAPS == 2) {
        uvec4 quad = table_quads[at / 4];
        [[unroll]] for (uint k = 0; k < 2; k++) {
            taps.at[k] = quad[k];
            taps.factors[k] = uintBitsToFloat(quad[k + 2]);
        }
    } else {
        uvec4 quad = table_quads[at / 4], factors = table_quads[at / 4 + 1];
        [[unroll]] for (uint k = 0; k < 4; k++) {
            taps.at[k] = quad[k];
            taps.factors[k] = uintBitsToFloat(factors[k]);
        }
    }
    return taps;
}

float to_float(uint raw) { return TYPE == FLOAT16 ? half_to_float(raw) : uintBitsToFloat(raw); }
uint to_bits(float value) { return TYPE == FLOAT16 ? float_to_half(value) : floatBitsToUint(value); }

float weighed(float sum, bool first, float value, float factor) {
    precise float term = value * factor;
    precise float more = sum + term;
    return first ? term : more;
}

Taps along[3];   // of an element, the last dim first
uint made[PER];  // elements of dst

void set_outer(uint position) {
    if (SPATIAL == 2) along[1] = taps_of(SECOND, position);
    if (SPATIAL == 3) {
        along[1] = taps_of(SECOND, position % HEIGHT);
        along[2] = taps_of(SECOND + HEIGHT * (TAPS == 1 ? 1 : 2 * TAPS), position / HEIGHT);
    }
}

#define WIDTH 1
#define NAMED(name) single_##name
#include "families/resample_width.glsl"
#define WIDTH PER
#define NAMED(name) shared_##name
#include "families/resample_width.glsl"

// Along a row, the taps of some dims stay.
void start_row(PLACE at) {
    if (step_of(1) == 0) along[0] = taps_of(0, at.y);
    if (step_of(2) == 0) set_outer(at.z);
}

uint in_row(PLACE at) {
    if (step_of(1) != 0) along[0] = taps_of(0, at.y);
    if (step_of(2) != 0) set_outer(at.z);
    single_make(at);
    return made[0];
}

T make(PLACE at) {
    along[0] = taps_of(0, at.y);
    set_outer(at.z);
    single_make(at);
    return made[0];
}

void make_row(PLACE at) {
    if (step_of(1) == 0 && step_of(2) == 0) {
        shared_make(at);
    } else {
        uint row[PER];
        [[unroll]] for (uint k = 0; k < PER; k++) row[k] = in_row(at + k * row_step());
        made = row;
    }
}

#if BITS < 32
uvec4 make_quad(PLACE row, uint quad, uint phase, bool whole, uvec4 mask) {
    if (!whole) return gathered_quad(row, quad, phase, mask);
    PLACE at = row + (quad * PER - phase) * row_step();
    start_row(at);
    make_row(at);
    uvec4 words = uvec4(0);
    [[unroll]] for (uint k = 0; k < PER; k++) words[k / PER_WORD] |= made[k] << k % PER_WORD * BITS;
    return words;
}
#else
uvec4 make_quad(PLACE at) {
    make_row(at);
    return uvec4(made[0], made[1], made[2], made[3]);
}
#endif

void main() { run(); }
