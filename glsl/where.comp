#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Elements of b where a is true, otherwise those of c.
#define SOURCES 3
#if BITS == 128
#define WIDE
#define VALUE uvec4
#define RESULT uvec4
#else
#define VALUE uvec2
#define RESULT uvec2
#endif
#include "types/cast.glsl"

VALUE decode(VALUE raw, uint type) { return raw; }
VALUE to_value(VALUE words) { return words; }
VALUE encode(VALUE value, uint type) { return value; }
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

#if BITS == 128
// As complex128; real numbers have the imaginary part 0.
uvec4 widened(uvec4 raw, uint type) {
    if (type == COMPLEX128) return raw;
    if (type == COMPLEX64)
        return uvec4(cast_to_double(uintBitsToFloat(raw.x)), cast_to_double(uintBitsToFloat(raw.y)));
    return uvec4(type == FLOAT64 ? raw.xy : cast_to_double(cast_to_float(raw.x, type)), 0, 0);
}
#endif

VALUE compute(VALUE a, VALUE b, VALUE c) {
    VALUE chosen = widened(b, B_TYPE), other = widened(c, C_TYPE);
    return cast_truth(a.xy, A_TYPE) ? chosen : other;
}

void main() { run(); }
