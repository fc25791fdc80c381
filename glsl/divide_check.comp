#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// What the device makes of pairs of float32, by each operation of math/native.glsl in turn.
#include "math/divide.glsl"
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Src { uvec2 src[]; };
layout(binding = 1) writeonly buffer Dst { uvec2 dst[]; };
layout(push_constant) uniform Push { uint src_base, dst_base, count; };

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= count) return;
    vec2 pair = uintBitsToFloat(src[src_base + n]);
    dst[dst_base + n] = floatBitsToUint(vec2(float_divide(pair.x, pair.y), float_sqrt(pair.x)));
}
