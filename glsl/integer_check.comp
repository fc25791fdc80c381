#version 450
#extension GL_GOOGLE_include_directive : require
// How a device divides and shifts integers of 64 and 32 bits, as kernels do: see
// dml_vk/runtime/arithmetic_check.py, which knows the results.
#include "math/int.glsl"
#include "math/long.glsl"
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Src { uvec4 src[]; };
layout(binding = 1) writeonly buffer Dst { uvec2 dst[]; };
layout(push_constant) uniform Push { uint src_base, dst_base, count; };

const uint COLUMNS = 12u;

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= count) return;
    uvec4 pair = src[src_base + n];
    uvec2 a = pair.xy, b = pair.zw;
    uint at = dst_base + COLUMNS * n;
    dst[at] = long_divide_floor(a, b, true);
    dst[at + 1u] = long_remainder(a, b, true);
    dst[at + 2u] = long_divide_floor(a, b, false);
    dst[at + 3u] = long_remainder(a, b, false);
    dst[at + 4u] = uvec2(int_divide_floor(a.x, b.x, true), 0u);
    dst[at + 5u] = uvec2(int_remainder(a.x, b.x, true), 0u);
    dst[at + 6u] = long_shift_left(a, b);
    dst[at + 7u] = long_shift_right(a, b, true);
    dst[at + 8u] = long_shift_right(a, b, false);
    dst[at + 9u] = uvec2(int_shift_left(a.x, b.x), 0u);
    dst[at + 10u] = uvec2(int_shift_right(a.x, b.x, true), 0u);
    dst[at + 11u] = uvec2(int_shift_right(a.x, b.x, false), 0u);
}
