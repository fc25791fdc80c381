#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define RESULT uvec2
#include "types/double_complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_roots.glsl"

uvec2 compute(uvec4 a) {
    switch (OP) {
    case ABS: return double_hypot(a.xy, a.zw);
    }
    return a.xy;
}

void main() { run(); }
