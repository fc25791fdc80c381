#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Where each element of src belongs in `sorted`, which has the same type: the number of elements that are
// less, or not greater. `sorted` is in order, or `order` has the indexes that sort it.
#define BASES src_base, sorted_base, order_base, dst_base
#define FROM push.src_base
#define MAX_RANK 6
#define EXTRA uint count, sorted_step, order_step;
#define T uvec2
#define WORDS 2
#include "index/index.glsl"
#include "types/element.glsl"
#include "types/key.glsl"

layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 1) readonly buffer Sorted { uint sorted[]; };
layout(binding = 2) readonly buffer Order { uint order[]; };

DEFINE_ELEMENT(src_element, src)
DEFINE_ELEMENT(sorted_element, sorted)
DEFINE_ELEMENT(order_element, order)

uvec2 load(uint at);
uvec4 load_quad(uint at) { return uvec4(load(at), load(at + 1)); }

#define DST 3
#include "index/load_words.glsl"

layout(constant_id = NEXT_SPEC) const uint TYPE = FLOAT32;
layout(constant_id = NEXT_SPEC + 1) const bool RIGHT = false;    // count those not greater, instead of less
layout(constant_id = NEXT_SPEC + 2) const bool ORDERED = false;  // by the indexes in `order`
layout(constant_id = NEXT_SPEC + 3) const uint ORDER_TYPE = INT64;

uvec2 sorted_key(uint i) {
    if (ORDERED) {
        i = order_element(push.order_base + i * push.order_step, ORDER_TYPE).x;
        i = min(i, push.count - 1);  // An invalid index must not read out of bounds.
    }
    return key_of(sorted_element(push.sorted_base + i * push.sorted_step, TYPE), TYPE);
}

uvec2 load(uint at) {
    uvec2 key = key_of(src_element(at, TYPE), TYPE);
    uint low = 0, high = push.count;
    while (low < high) {
        uint middle = low + (high - low) / 2;
        uvec2 other = sorted_key(middle);
        bool before = RIGHT ? !key_less(key, other) : key_less(other, key);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return uvec2(low, 0);
}

void main() { run(); }
