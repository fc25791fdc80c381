#version 450
// How a device computes, for doctor: sums and products, as its compiler translates them.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer Dst { float dst[]; };
layout(push_constant) uniform Push { uint a_base, b_base, dst_base, count; };

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= count) return;
    float x = a[a_base + n], y = b[b_base + n];
    precise float sum = x + y, product = x * y;
    // If folded, this is y; if contracted to an fma, the next one is the rounding error of the product.
    precise float rest = sum - x;
    precise float nothing = x * y - product;
    uint at = dst_base + 4 * n;
    dst[at] = sum;
    dst[at + 1] = product;
    dst[at + 2] = rest;
    dst[at + 3] = nothing;
}
