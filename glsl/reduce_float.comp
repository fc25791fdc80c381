#version 450
#extension GL_GOOGLE_include_directive : require
#include "float_values_head.glsl"
#define T uint
#define BITS 32
#define TREE
#include "reduce_head.glsl"
#include "round_head.glsl"

float leaf_value(uvec4 raw, uint index) { return decode(raw.xy, A_TYPE); }
uint element_of(float value) { return encode(value, TYPE).x; }

float identity() {
    uint bits = FLOAT_SIGN;  // -0, for even +0 would turn it into +0
    switch (OP) {
    case REDUCE_PROD: bits = FLOAT_ONE; break;
    case REDUCE_MAX: bits = FLOAT_INFINITY | FLOAT_SIGN; break;
    case REDUCE_MIN: bits = FLOAT_INFINITY; break;
    }
    return uintBitsToFloat(bits);
}

float combine(float left, float right) {
    precise float result = left;
    switch (OP) {
    case REDUCE_SUM: result = left + right; break;
    case REDUCE_PROD: result = left * right; break;
    case REDUCE_MAX: result = float_max(left, right); break;
    case REDUCE_MIN: result = float_min(left, right); break;
    }
    return result;
}
