#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Uniform floats in [low, high): min(low + span * u, most), each operation rounded, where u in [0, 1) is what
// `random` makes of the same words. The parameters are low, span and most.
#include "families/philox_draw.glsl"
#include "types/half.glsl"

// float16 is computed as float32 and rounded once. `most` is a float16, so nothing rounds above it.
uint between(uint word) {
#if BITS == 16
    precise float u = float(int(word >> 21)) * (1.0 / 2048.0);
#else
    precise float u = float(int(word >> 8)) * (1.0 / 16777216.0);
#endif
    precise float product = uintBitsToFloat(push.told[1]) * u;
    precise float sum = uintBitsToFloat(push.told[0]) + product;
    float most = uintBitsToFloat(push.told[2]), result = sum < most ? sum : most;
#if BITS == 16
    return float_to_half(result);
#else
    return floatBitsToUint(result);
#endif
}

uvec4 drawn(uint n) {
    uvec4 words = block(n);
    return uvec4(between(words.x), between(words.y), between(words.z), between(words.w));
}
#include "families/philox_drawn.glsl"
