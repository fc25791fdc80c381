#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define WORDS 2
#define STORED FLOAT64
#include "types/double_values.glsl"
#include "math/double.glsl"
#include "families/scan.glsl"

// The neutral element, also for -0.0.
uvec2 identity() {
    switch (OP) {
    case SUM: return uvec2(0u, DOUBLE_SIGN);
    case PRODUCT: return DOUBLE_ONE;
    case MAXIMUM: return DOUBLE_INFINITY | uvec2(0u, DOUBLE_SIGN);
    }
    return DOUBLE_INFINITY;
}

uvec2 combine(uvec2 a, uvec2 b) {
    switch (OP) {
    case SUM: return double_add(a, b);
    case PRODUCT: return double_multiply(a, b);
    case MAXIMUM: return double_max(a, b);
    case MINIMUM: return double_min(a, b);
    }
    return a;
}

void main() { run(); }
