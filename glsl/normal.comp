#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Normal floats by the Box-Muller method: two from two words. The parameters are mean and standard deviation.
#include "families/philox_draw.glsl"
#include "types/half.glsl"
#include "math/log.glsl"
#include "math/trig.glsl"

const uint SQRT_HALF_WORD = 0xb504f333u;  // sqrt(1/2) * 2^32
const float WORD = 1.0 / 4294967296.0;

// Correctly rounded, since the halves convert exactly.
float rounded(int high, uint low) {
    precise float sum = float(high) * 65536.0 + float(int(low));
    return sum;
}

float rounded(uint word) { return rounded(int(word >> 16), word & 0xffffu); }

// sqrt(-2 log(u)) for u = (word + 1) / 2^32. Near 1, the logarithm is computed from u - 1, which loses no
// digits.
float radius_of(uint word) {
    bool near = word >= SQRT_HALF_WORD;
    Scaled scaled = log_scaled(floatBitsToUint(rounded(near ? 1u : word + 1u)));
    precise float less = -WORD * rounded(~word);
    float f = near ? less : scaled.f;
    precise float k = near ? 0.0 : float(scaled.power - 32);
    precise float logarithm = k * LN2_HIGH + (f + (log_tail(f) + k * LN2_LOW));
    precise float square = -2.0 * logarithm;
    return float_sqrt(square);
}

// The radius times the cosine and sine of words.y / 2^32 turns.
vec2 normal_pair(uvec2 words) {
    uint turned = words.y + 0x20000000u, quarters = turned >> 30;
    int rest = int(turned & 0x3fffffffu) - 0x20000000;
    precise float angle = rounded(rest >> 16, uint(rest) & 0xffffu) * 1.46291808e-09;
    float radius = radius_of(words.x);
    precise float x = radius * sin_of(angle, quarters + 1u), y = radius * sin_of(angle, quarters);
    return vec2(x, y);
}

uint moved(float x) {
    precise float product = uintBitsToFloat(push.told[1]) * x;
    precise float sum = uintBitsToFloat(push.told[0]) + product;
#if BITS == 16
    return float_to_half(sum);
#else
    return floatBitsToUint(sum);
#endif
}

uvec4 drawn(uint n) {
    uvec4 words = block(n);
    vec2 first = normal_pair(words.xy), second = normal_pair(words.zw);
    return uvec4(moved(first.x), moved(first.y), moved(second.x), moved(second.y));
}
#include "families/philox_drawn.glsl"
