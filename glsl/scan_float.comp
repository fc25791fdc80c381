#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define WORDS 1
#define STORED FLOAT32
#include "types/float_values.glsl"
#include "families/scan.glsl"

// The neutral element, also for -0.0.
float identity() { return uintBitsToFloat(OP == SUM ? 0x80000000u : 0x3f800000u); }

float combine(float a, float b) {
    precise float result = a;
    switch (OP) {
    case SUM: result = a + b; break;
    case PRODUCT: result = a * b; break;
    }
    return result;
}

void main() { run(); }
