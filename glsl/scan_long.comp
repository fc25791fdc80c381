#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define WORDS 2
#define STORED INT64
#include "types/long_values.glsl"
#include "families/scan.glsl"

uvec2 identity() {
    switch (OP) {
    case SUM: return uvec2(0u);
    case PRODUCT: return uvec2(1u, 0u);
    case MAXIMUM: return uvec2(0u, 0x80000000u);
    }
    return uvec2(0xffffffffu, 0x7fffffffu);
}

uvec2 combine(uvec2 a, uvec2 b) {
    switch (OP) {
    case SUM: return long_add(a, b);
    case PRODUCT: return long_multiply(a, b);
    case MAXIMUM: return long_less(a, b, true) ? b : a;
    case MINIMUM: return long_less(b, a, true) ? b : a;
    }
    return a;
}

void main() { run(); }
