#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Sums of floats, or of squared deviations from a mean, and what is made of them: means, variances, deviations.
// If COMPLEX is defined, leaves are complex64: the squares of both parts are neighbours in the tree of squares,
// where the sum of the parts is a leaf, and both parts have a mean.
#include "types/float_values.glsl"
#include "math/divide.glsl"
#define T uint
#define BITS 32
#ifdef COMPLEX
#undef VALUE
#define VALUE vec2  // sums of both parts; or that of squares, and nothing
#define CHAIN
#define AT_ONCE 2
#else
#define TREE
#define AT_ONCE 4
#endif
#define NUMBER_WORDS 1
#include "families/variance.glsl"

VALUE divided(VALUE sum) {
    float by = uintBitsToFloat(push.size[0]);
#ifdef COMPLEX
    return vec2(float_divide(sum.x, by), float_divide(sum.y, by));
#else
    return float_divide(sum, by);
#endif
}

VALUE leaf_value(uvec4 raw, uint index) {
#ifdef COMPLEX
    vec2 element = uintBitsToFloat(raw.xy);
    precise vec2 squares = (element - mean) * (element - mean);
    precise float both = squares.x + squares.y;
    vec2 square = vec2(both, 0.0);
#else
    precise float element = decode(raw.xy, A_TYPE);
    precise float square = (element - mean) * (element - mean);
#endif
    return SQUARES != NONE && deviates ? square : element;
}

uint element_of(VALUE sum) {
#ifdef COMPLEX
    float value = sum.x;
#else
    float value = sum;
#endif
    if (MAKES > 0) value = float_divide(value, uintBitsToFloat(push.divisor[0]));
    if (MAKES > 1) value = float_sqrt(value);
    return encode(value, TYPE).x;
}

// As of sums in reduce_tree.comp.
VALUE identity() { return VALUE(uintBitsToFloat(0x80000000u)); }

VALUE combine(VALUE left, VALUE right) {
    precise VALUE sum = left + right;
    return sum;
}
