// float16, as 16 bits, from and to float32.
#ifndef HALF_HEAD
#define HALF_HEAD

// Exact. NaN keeps its bits.
float half_to_float(uint half_bits) {
    uint magnitude = half_bits & 0x7fffu;
    // The bias of exponents grows by 112, and the exponent of infinity and NaN by as much again.
    uint bits = (magnitude << 13) + (magnitude < 0x7c00u ? 112u << 23 : 224u << 23);
    // Subnormals are multiples of 2^-24.
    precise float small = float(int(magnitude & 0x3ffu)) * (1.0 / 16777216.0);
    bits = magnitude < 0x400u ? floatBitsToUint(small) : bits;
    return uintBitsToFloat(bits | half_bits >> 15 << 31);
}

// To nearest, ties to even; NaN becomes the quiet NaN of its sign.
uint float_to_half(float x) {
    uint bits = floatBitsToUint(x), magnitude = bits & 0x7fffffffu;
    uint rounded = magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u) >> 13;
    // Below 2^-14, adding 1/2 rounds to multiples of 2^-24. Subnormal float32s become 0 anyway.
    precise float small = uintBitsToFloat(min(magnitude, 0x38800000u)) + 0.5;
    rounded = magnitude < 0x38800000u ? floatBitsToUint(small) - 0x3f000000u : rounded;
    rounded = magnitude >= 0x477ff000u ? 0x7c00u : rounded;
    rounded = magnitude > 0x7f800000u ? 0x7e00u : rounded;
    return rounded | bits >> 31 << 15;
}
#endif
