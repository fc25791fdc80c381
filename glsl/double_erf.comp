#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define RESULT uvec2
#include "types/double_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_erf.glsl"

uvec2 compute(uvec2 a) {
    switch (OP) {
    case ERF: return double_erf(a);
    }
    return a;
}

void main() { run(); }
