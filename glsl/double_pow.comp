#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT uvec2
#include "types/double_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_pow.glsl"

uvec2 compute(uvec2 a, uvec2 b) {
    switch (OP) {
    case POW: return double_pow(a, b);
    }
    return a;
}

void main() { run(); }
