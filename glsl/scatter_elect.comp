#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The last-writer election by indexes of any type, of which each is checked: it writes its number, plus 1 and plus
// the base of dst, to the word that it selects, by a maximum. One that is outside sets the flag to 1 instead.
#define BASES index_base, flag_base, dst_base
#define FROM push.index_base
#define MAX_RANK 1
#define EXTRA uint size;
#include "index/index.glsl"

#define SIZE push.size
#include "families/gather.glsl"
#include "types/element.glsl"

layout(constant_id = 4) const uint INDEX_TYPE = INT64;

layout(binding = 0) readonly buffer Index { uint index[]; };
layout(binding = 1) buffer Flag { uint flag[]; };
layout(binding = 2) buffer Dst { uint dst[]; };

DEFINE_ELEMENT(raw_index, index)

void unit(uint n, bool whole) {
    uvec2 raw = raw_index(bases.x + n * strides[0].x, INDEX_TYPE);
    if (is_outside(raw, INDEX_TYPE))
        atomicOr(flag[push.flag_base], 1);
    else
        atomicMax(dst[bases.y + index_from_start(raw, INDEX_TYPE)], bases.y + n + 1);
}

void main() { run(); }
