#version 450
// How a device computes sums and products of floats, as its compiler translates them: see
// dml_vk/runtime/arithmetic_check.py, which knows the results.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) readonly buffer C { float c[]; };  // a * b, rounded
layout(binding = 3) writeonly buffer Dst { uint dst[]; };
layout(push_constant) uniform Push { uint a_base, b_base, c_base, dst_base, count, one; };

const uint COLUMNS = 14u;

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= count) return;
    float x = a[a_base + n], y = b[b_base + n], z = c[c_base + n], unit = float(int(one));
    uint at = dst_base + COLUMNS * n;

    precise float sum = x + y, product = x * y;
    precise float rest = sum - x;  // if folded, this is y
    dst[at] = floatBitsToUint(sum);
    dst[at + 1u] = floatBitsToUint(product);
    dst[at + 2u] = floatBitsToUint(rest);

    // All of these are 0, unless they are contracted: then they are what the product lost.
    precise float minus = -z;
    precise float less = x * y - z, from = z - x * y, more = x * y + minus, first = minus + x * y;
    precise float negative = -(x * y) + z, two = x * y + minus * unit, loop = minus;
    for (uint k = 0u; k < one; k++) loop += x * y;
    dst[at + 3u] = floatBitsToUint(less);
    dst[at + 4u] = floatBitsToUint(from);
    dst[at + 5u] = floatBitsToUint(more);
    dst[at + 6u] = floatBitsToUint(first);
    dst[at + 7u] = floatBitsToUint(negative);
    dst[at + 8u] = floatBitsToUint(two);
    dst[at + 9u] = floatBitsToUint(loop);

    // With constants, which compilers fold.
    precise float plus_zero = x + 0.0, times_zero = x * 0.0, zero_minus = 0.0 - x;
    dst[at + 10u] = floatBitsToUint(plus_zero);
    dst[at + 11u] = floatBitsToUint(times_zero);
    dst[at + 12u] = floatBitsToUint(zero_minus);

    dst[at + 13u] = packHalf2x16(vec2(sum, 0.0));
}
