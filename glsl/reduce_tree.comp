#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Sums and products of floats.
#include "types/float_values.glsl"
#define T uint
#define BITS 32
#define TREE
#define AT_ONCE 4
#include "families/reduce.glsl"

float leaf_value(uvec4 raw, uint index) { return decode(raw.xy, A_TYPE); }
uint element_of(float value) { return encode(value, TYPE).x; }

// -0 and 1: with +0, a sum of -0 would become +0.
float identity() { return uintBitsToFloat(OP == REDUCE_SUM ? 0x80000000u : 0x3f800000u); }

float combine(float left, float right) {
    precise float result = left;
    switch (OP) {
    case REDUCE_SUM: result = left + right; break;
    case REDUCE_PROD: result = left * right; break;
    }
    return result;
}
