#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define WORDS 2
#define STORED INT64
#include "types/long_values.glsl"
#include "families/scan.glsl"

uvec2 identity() { return uvec2(OP, 0); }

uvec2 combine(uvec2 a, uvec2 b) {
    switch (OP) {
    case SUM: return long_add(a, b);
    case PRODUCT: return long_multiply(a, b);
    }
    return a;
}

void main() { run(); }
