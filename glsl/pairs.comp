#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Pairs of numbers for finish.comp: from a mean and a variance, to which the scalar is added, or a weight and a bias.
#define SOURCES 2
#define RESULT vec2
#include "types/float_values.glsl"
uvec2 encode(vec2 pair, uint type) { return floatBitsToUint(pair); }
#include "families/elementwise.glsl"
#include "math/divide.glsl"

vec2 compute(float a, float b) {
    precise float variance = b + uintBitsToFloat(push.scalars[0]);
    return vec2(a, OP == PAIRS_SCALE ? float_rsqrt(variance) : b);
}

void main() { run(); }
