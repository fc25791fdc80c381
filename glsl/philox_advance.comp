#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Advance a state by a number of blocks, and write it to another place or to the same.
#include "math/philox.glsl"

layout(local_size_x_id = 0) in;
// Not readonly, since both may be the same words; all are read before any is written.
layout(binding = 0) buffer State { uint state[]; };
layout(binding = 1) buffer Dst { uint dst[]; };
layout(push_constant) uniform Push {
    uint first, end, state_base, dst_base, blocks, state_stride, dst_stride;
} push;

void main() {
    if (gl_GlobalInvocationID.x != 0) return;
    uint words[6];
    for (uint k = 0; k < 6; k++) words[k] = state[push.state_base + k * push.state_stride];
    uvec4 counter = counter_add(uvec4(words[0], words[1], words[2], words[3]), push.blocks);
    for (uint k = 0; k < 4; k++) dst[push.dst_base + k * push.dst_stride] = counter[k];
    for (uint k = 4; k < 6; k++) dst[push.dst_base + k * push.dst_stride] = words[k];
}
