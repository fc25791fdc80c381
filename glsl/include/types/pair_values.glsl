// Elements as pairs of float32: a number and 0, or two numbers of one element of 64 bits.
#include "types/half.glsl"
#include "types/types.glsl"
#define VALUE vec2

vec2 decode(uvec2 raw, uint type) {
    if (bits_of(type) == 64) return uintBitsToFloat(raw);
    return vec2(type == FLOAT16 ? half_to_float(raw.x) : uintBitsToFloat(raw.x), 0.0);
}
vec2 to_value(uvec2 words) { return uintBitsToFloat(words); }
uvec2 encode(float value, uint type) {
    return uvec2(type == FLOAT16 ? float_to_half(value) : floatBitsToUint(value), 0);
}
