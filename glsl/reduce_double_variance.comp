#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// As reduce_variance.comp, of float64; or of complex128, if COMPLEX is defined.
#include "types/double_values.glsl"
#include "math/double_divide.glsl"
#define T uvec2
#define BITS 64
#define CHAIN
#ifdef COMPLEX
#undef VALUE
#define VALUE uvec4
#define AT_ONCE 1
#else
#define AT_ONCE 2
#endif
#define NUMBER_WORDS 2
#include "families/variance.glsl"

uvec2 words(uint number[2]) { return uvec2(number[0], number[1]); }

uvec2 squared(uvec2 element, uvec2 from) {
    uvec2 apart = double_subtract(element, from);
    return double_multiply(apart, apart);
}

VALUE divided(VALUE sum) {
    uvec2 by = words(push.size);
#ifdef COMPLEX
    return uvec4(double_divide(sum.xy, by), double_divide(sum.zw, by));
#else
    return double_divide(sum, by);
#endif
}

VALUE leaf_value(uvec4 raw, uint index) {
    if (SQUARES == NONE || !deviates) {
#ifdef COMPLEX
        return raw;
#else
        return decode(raw.xy, A_TYPE);
#endif
    }
#ifdef COMPLEX
    return uvec4(double_add(squared(raw.xy, mean.xy), squared(raw.zw, mean.zw)), 0u, 0u);
#else
    return squared(decode(raw.xy, A_TYPE), mean);
#endif
}

uvec2 element_of(VALUE sum) {
    uvec2 value = sum.xy;
    if (MAKES > 0) value = double_divide(value, words(push.divisor));
    if (MAKES > 1) value = double_sqrt(value);
    return value;
}

// As of sums in reduce_tree.comp.
const uvec2 NO_SUM = uvec2(0, DOUBLE_SIGN);

#ifdef COMPLEX
uvec4 identity() { return uvec4(NO_SUM, NO_SUM); }

uvec4 combine(uvec4 left, uvec4 right) {
    return uvec4(double_add(left.xy, right.xy), double_add(left.zw, right.zw));
}
#else
uvec2 identity() { return NO_SUM; }

uvec2 combine(uvec2 left, uvec2 right) { return double_add(left, right); }
#endif
