// Elements as float32: float16 is computed as float32 too, and rounded once.
#include "types/half.glsl"
#include "types/types.glsl"
#define VALUE float

float decode(uvec2 raw, uint type) {
    return type == FLOAT16 ? half_to_float(raw.x) : uintBitsToFloat(raw.x);
}
float to_value(uvec2 words) { return uintBitsToFloat(words.x); }
uvec2 encode(float value, uint type) {
    return uvec2(type == FLOAT16 ? float_to_half(value) : floatBitsToUint(value), 0);
}
uvec2 encode(bool value, uint type) { return uvec2(value, 0); }
