// Elements as pairs of float32, the real part first; real ones have the imaginary part 0.
#include "types/half.glsl"
#include "types/types.glsl"
#define VALUE vec2

vec2 decode(uvec2 raw, uint type) {
    if (type == COMPLEX64) return uintBitsToFloat(raw);
    return vec2(type == FLOAT16 ? half_to_float(raw.x) : uintBitsToFloat(raw.x), 0.0);
}
vec2 to_value(uvec2 words) { return uintBitsToFloat(words); }
uvec2 encode(vec2 value, uint type) { return floatBitsToUint(value); }
uvec2 encode(float value, uint type) { return uvec2(floatBitsToUint(value), 0); }
uvec2 encode(bool value, uint type) { return uvec2(value, 0); }
