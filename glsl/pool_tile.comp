#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Maxima and means over windows of elements of 32 bits, or of float16.
#include "math/divide.glsl"
#include "types/half.glsl"
#include "types/types.glsl"
#define BASES x_base, dst_base
#define SOURCES 1
#define FROM push.x_base
#define MAX_RANK 2
#define EXTRA                                                   \
    uint inner_size, outer_size; /* of x, in dims 0 and 1 */    \
    uint x_sample, x_channel, dst_sample, dst_channel;          \
    uint tiles_down; /* of an image */
#define DST 1
#include "index/index.glsl"

#define ELEMENT uvec2  // its bits, or those of what it adds to a sum; its key
uvec2 element_of(uint raw);
#include "families/windows.glsl"

layout(constant_id = NEXT_SPEC) const uint OP = 0;
layout(constant_id = NEXT_SPEC + 1) const bool COUNTED = false;  // a mean counts padding
layout(constant_id = NEXT_SPEC + 2) const uint END_0 = 0;        // padding behind x
layout(constant_id = NEXT_SPEC + 3) const uint END_1 = 0;
layout(constant_id = NEXT_SPEC + 4) const uint END_2 = 0;
#define A_TYPE X_TYPE
#include "families/pool_values.glsl"

uvec2 states[CHANNELS][DOWN][ACROSS];  // the largest element and its key, or the bits of a sum

uvec2 element_of(uint raw) {
    if (OP == POOL_MAX) return uvec2(raw, uint(key_of(raw)));
    float value = X_TYPE == FLOAT16 ? half_to_float(raw) : uintBitsToFloat(raw);
    return uvec2(floatBitsToUint(value), 0);
}

void clear() {
    // -0: adding it changes no number, not even +0 or -0
    uvec2 none = OP == POOL_MAX ? uvec2(lowest(), 0x80000000u) : uvec2(0x80000000u, 0);
    [[unroll]] for (uint c = 0; c < CHANNELS; c++)
        [[unroll]] for (uint r = 0; r < DOWN; r++)
            [[unroll]] for (uint j = 0; j < ACROSS; j++) states[c][r][j] = none;
}

void start_plane(uint channel, uint z) {}

uvec2 with(uvec2 state, uvec2 element, bool there) {
    if (OP == POOL_MAX) {
        int key = int(element.y);
        bool better = key > int(state.y) || X_TYPE >= FLOAT16 && key == NAN_KEY;
        better = there && better;
        return uvec2(better ? element.x : state.x, better ? element.y : state.y);
    }
    precise float sum = uintBitsToFloat(state.x) + uintBitsToFloat(element.x);
    return uvec2(there ? floatBitsToUint(sum) : state.x, 0);
}

void take(uint r, uint t, bool sure, bool there) {
    [[unroll]] for (uint c = 0; c < CHANNELS; c++)
        [[unroll]] for (uint j = 0; j < ACROSS; j++)
            [[unroll]] for (uint i = 0; i < WINDOW_0; i++) {
                uint k = j * STRIDE_0 + i * DILATION_0;
                states[c][r][j] = with(states[c][r][j], line[c][k], is_sure(k, sure) || is_there(k, there));
            }
}

void fill_results(uint channel) {
    [[unroll]] for (uint c = 0; c < CHANNELS; c++)
        [[unroll]] for (uint r = 0; r < DOWN; r++)
            [[unroll]] for (uint j = 0; j < ACROSS; j++)
                results[r * QUADS_ACROSS + j * CHANNELS / 4][CHANNELS == 1 ? j % 4 : c] = states[c][r][j].x;
}

uint count_along(uint start, uint size, uint end, uint dilation, uint window) {
    uint beyond = first_beyond(start, dilation, COUNTED ? size + end : size, window);
    return beyond - min(beyond, COUNTED ? 0 : first_inside(start, dilation));
}

// By how many elements the sum of a window is divided.
float window_count(uvec3 window) {
    uvec3 start = window * uvec3(STRIDE_0, STRIDE_1, STRIDE_2) - uvec3(PADDING_0, PADDING_1, PADDING_2);
    uint count = count_along(start.x, push.inner_size, END_0, DILATION_0, WINDOW_0) *
                 count_along(start.y, push.outer_size, END_1, DILATION_1, WINDOW_1) *
                 count_along(start.z, X_SIZE_2, END_2, DILATION_2, WINDOW_2);
    return float(max(count, 1));
}

uvec4 finished(uvec4 result, uvec3 window) {
    if (OP == POOL_MAX) return result;
    float count = 1.0;
    [[unroll]] for (uint k = 0; k < 4; k++) {
        if (CHANNELS == 1 || k == 0) count = window_count(window + uvec3(k, 0, 0));
        uint bits = result[k] == 0x80000000u ? 0 : result[k];
        float value = float_divide(uintBitsToFloat(bits), count);
        result[k] = DST_TYPE == FLOAT16 ? float_to_half(value) : floatBitsToUint(value);
    }
    return result;
}

void main() { run(); }
