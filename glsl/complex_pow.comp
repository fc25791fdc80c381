#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT uvec4
#include "types/double_complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/complex_log.glsl"

uvec4 compute(uvec4 a, uvec4 b) {
    switch (OP) {
    case POW: return double_complex_pow(a, b);
    }
    return a;
}

void main() { run(); }
