#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define VALUE uvec2
#define RESULT uvec2
#include "types/cast.glsl"

uvec2 decode(uvec2 raw, uint type) { return raw; }
uvec2 to_value(uvec2 words) { return words; }
uvec2 encode(uvec2 value, uint type) { return value; }
#include "families/elementwise.glsl"

uvec2 compute(uvec2 a) {
    switch (OP) {
    case CAST_TO_TRUTH: return uvec2(cast_truth(a, A_TYPE), 0);
    case CAST_INTS: {
        uvec2 whole = cast_to_long(a, A_TYPE);
        return bits_of(TYPE) == 64 ? whole : uvec2(cast_cut(whole.x, bits_of(TYPE)), 0);
    }
    case CAST_BY_FLOAT: return uvec2(cast_from_float(cast_to_float(a.x, A_TYPE), TYPE), 0);
    case CAST_TO_DOUBLE: return cast_to_double(cast_to_float(a.x, A_TYPE));
    case CAST_TO_INT: return cast_to_int(cast_read(a, A_TYPE), TYPE);
    case CAST_ROUNDED: return cast_round(cast_read(a, A_TYPE), TYPE);
    }
    return a;  // CAST_BITS
}

void main() { run(); }
