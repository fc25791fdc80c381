#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// What the device makes of pairs of float64, by each operation of math/native.glsl in turn.
#include "math/double_divide.glsl"
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Src { uvec4 src[]; };
layout(binding = 1) writeonly buffer Dst { uvec4 dst[]; };
layout(push_constant) uniform Push { uint src_base, dst_base, count; };

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= count) return;
    uvec4 pair = src[src_base + n];
    uvec2 a = pair.xy, b = pair.zw;
    uint at = dst_base + 2 * n;
    dst[at] = uvec4(double_add(a, b), double_multiply(a, b));
    dst[at + 1] = uvec4(double_divide(a, b), double_sqrt(a));
}
