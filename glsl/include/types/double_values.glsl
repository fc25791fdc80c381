// Elements as bits of float64; smaller floats are converted exactly.
#include "types/cast.glsl"
#define VALUE uvec2

uvec2 decode(uvec2 raw, uint type) {
    if (type == FLOAT64) return raw;
    return cast_to_double(type == FLOAT16 ? half_to_float(raw.x) : uintBitsToFloat(raw.x));
}
uvec2 to_value(uvec2 words) { return words; }
uvec2 encode(uvec2 value, uint type) {
    if (type == FLOAT64) return value;
    return cast_round(cast_read(value, FLOAT64), type);
}
uvec2 encode(bool value, uint type) { return uvec2(value, 0); }
