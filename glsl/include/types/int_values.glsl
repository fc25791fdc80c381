// Elements as 32-bit integers; smaller ones are extended by sign or by zeros, bools are 0 and 1.
#include "types/cast.glsl"
#define VALUE uint

uint decode(uvec2 raw, uint type) { return cast_widen(raw.x, type); }
uint to_value(uvec2 words) { return words.x; }
uvec2 encode(uint value, uint type) {
    return uvec2(type == BOOL ? uint(value != 0) : cast_cut(value, bits_of(type)), 0);
}
uvec2 encode(bool value, uint type) { return uvec2(value, 0); }
