#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Sums of floats, or of squared deviations from a mean, and what is made of them: means, variances, deviations.
#include "types/float_values.glsl"
#include "math/divide.glsl"
#define T uint
#define BITS 32
#define TREE
#define AT_ONCE 4
// The third source has the means.
#define SOURCES 3
#define BASES src_base, mean_base, dst_base
#define FROM push.src_base, 0u, push.mean_base
#define MAX_RANK 3
#define DST 2
#define EXTRA uint block, leaves, ends[1], steps[2], size, divisor;  // the last two are floats

layout(constant_id = 13) const uint SQUARES = 0;  // what is added: NONE means elements
layout(constant_id = 14) const uint MAKES = 0;    // of a sum: itself, a quotient by `divisor`, or its root
const uint NONE = 0, FROM_GIVEN = 1, FROM_OWN = 2;  // deviations from means in memory, or from the sum by `size`

#define TWICE (SQUARES == FROM_OWN)
#include "families/reduce.glsl"

layout(binding = 1) readonly buffer Means { float means[]; };

float mean;
bool deviates;

void started(PLACE at) {
    deviates = SQUARES == FROM_GIVEN;
    if (deviates) mean = means[at.z];
}

void settle(float sum) {
    mean = float_divide(sum, uintBitsToFloat(push.size));
    deviates = true;
}

float leaf_value(uvec4 raw, uint index) {
    precise float element = decode(raw.xy, A_TYPE);
    precise float square = (element - mean) * (element - mean);
    return SQUARES != NONE && deviates ? square : element;
}

uint element_of(float value) {
    if (MAKES > 0) value = float_divide(value, uintBitsToFloat(push.divisor));
    if (MAKES > 1) value = float_sqrt(value);
    return encode(value, TYPE).x;
}

// As of sums in reduce_tree.comp.
float identity() { return uintBitsToFloat(0x80000000u); }

float combine(float left, float right) {
    precise float sum = left + right;
    return sum;
}
