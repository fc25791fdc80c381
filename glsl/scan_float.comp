#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define WORDS 1
#define STORED FLOAT32
#include "types/float_values.glsl"
#include "math/round.glsl"
#include "families/scan.glsl"

// The neutral element, also for -0.0.
float identity() {
    switch (OP) {
    case SUM: return uintBitsToFloat(FLOAT_SIGN);
    case PRODUCT: return 1.0;
    case MAXIMUM: return uintBitsToFloat(FLOAT_INFINITY | FLOAT_SIGN);
    }
    return uintBitsToFloat(FLOAT_INFINITY);
}

float combine(float a, float b) {
    precise float result = a;
    switch (OP) {
    case SUM: result = a + b; break;
    case PRODUCT: result = a * b; break;
    case MAXIMUM: result = float_max(a, b); break;
    case MINIMUM: result = float_min(a, b); break;
    }
#ifdef SEGMENTS
    // Sums of these are rounded one by one.
    if (TYPE == FLOAT16) result = half_to_float(float_to_half(result));
#endif
    return result;
}

void main() { run(); }
