// Elements as float32: float16 is computed so too, and rounded once.
#include "cast_head.glsl"
#define VALUE float

float decode(uvec2 raw, uint type) { return cast_to_float(raw.x, type); }
float to_value(uvec2 words) { return uintBitsToFloat(words.x); }
uvec2 encode(float value, uint type) { return uvec2(cast_from_float(value, type), 0); }
uvec2 encode(bool value, uint type) { return uvec2(value, 0); }
