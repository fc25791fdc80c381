#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// What a device makes of the functions that kernels compute by the bits of floats: see
// dml_vk/runtime/arithmetic_check.py, which knows the results.
#include "math/round.glsl"
#include "types/cast.glsl"
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer Dst { uint dst[]; };
layout(push_constant) uniform Push { uint a_base, b_base, dst_base, count; };

const uint COLUMNS = 8u;

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= count) return;
    float x = a[a_base + n], y = b[b_base + n];
    uint at = dst_base + COLUMNS * n;
    precise float sum = x + y;
    dst[at] = float_to_half(sum);
    dst[at + 1u] = floatBitsToUint(float_divide(x, y));
    dst[at + 2u] = floatBitsToUint(float_sqrt(x));
    dst[at + 3u] = floatBitsToUint(float_max(x, y));
    dst[at + 4u] = floatBitsToUint(float_min(x, y));
    dst[at + 5u] = uint(float_less(x, y)) | uint(float_equal(x, y)) << 1;
    dst[at + 6u] = cast_float_to_int(x, INT32);
    dst[at + 7u] = cast_float_to_int(x, UINT32);
}
