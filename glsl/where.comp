#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Elements of b where a is true, otherwise those of c.
#define SOURCES 3
#define VALUE uvec2
#define RESULT uvec2
#include "types/cast.glsl"

uvec2 decode(uvec2 raw, uint type) { return raw; }
uvec2 to_value(uvec2 words) { return words; }
uvec2 encode(uvec2 value, uint type) { return value; }
#include "families/elementwise.glsl"

// An element as dst's type, which can hold all values of the source's.
uvec2 widened(uvec2 raw, uint type) {
    if (type == TYPE) return raw;
    if (type < FLOAT16) {
        raw = cast_to_long(raw, type);
        return bits_of(TYPE) == 64 ? raw : uvec2(cast_cut(raw.x, bits_of(TYPE)), 0);
    }
    float value = type == FLOAT16 ? half_to_float(raw.x) : uintBitsToFloat(raw.x);
    return TYPE == FLOAT64 ? cast_to_double(value) : uvec2(floatBitsToUint(value), 0);
}

uvec2 compute(uvec2 a, uvec2 b, uvec2 c) {
    uvec2 chosen = widened(b, B_TYPE), other = widened(c, C_TYPE);
    return cast_truth(a, A_TYPE) ? chosen : other;
}

void main() { run(); }
