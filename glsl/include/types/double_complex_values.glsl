// Elements as pairs of float64, the real part first; real ones have the imaginary part 0, and smaller
// floats are converted exactly.
#include "types/cast.glsl"
#define WIDE
#define VALUE uvec4

uvec2 part_of(uint raw) { return cast_to_double(uintBitsToFloat(raw)); }

uvec4 decode(uvec4 raw, uint type) {
    if (type == COMPLEX128) return raw;
    if (type == COMPLEX64) return uvec4(part_of(raw.x), part_of(raw.y));
    if (type == FLOAT64) return uvec4(raw.xy, 0, 0);
    return uvec4(cast_to_double(cast_to_float(raw.x, type)), 0, 0);
}
uvec4 to_value(uvec4 words) { return words; }
uvec2 narrowed(uvec2 value) { return cast_round(cast_read(value, FLOAT64), FLOAT32); }
uvec4 encode(uvec4 value, uint type) {
    return type == COMPLEX64 ? uvec4(narrowed(value.xy).x, narrowed(value.zw).x, 0, 0) : value;
}
uvec4 encode(uvec2 value, uint type) {
    return uvec4(type == FLOAT32 ? narrowed(value) : value, 0, 0);
}
uvec4 encode(bool value, uint type) { return uvec4(value, 0, 0, 0); }
