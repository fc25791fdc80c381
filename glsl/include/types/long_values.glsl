// Elements as 64-bit integers; smaller ones are extended by sign or by zeros.
#include "types/cast.glsl"
#define VALUE uvec2

uvec2 decode(uvec2 raw, uint type) { return cast_to_long(raw, type); }
uvec2 to_value(uvec2 words) { return words; }
uvec2 encode(uvec2 value, uint type) { return value; }
uvec2 encode(bool value, uint type) { return uvec2(value, 0); }
