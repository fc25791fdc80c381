#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define RESULT uvec2
#include "types/double_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_trig.glsl"

uvec2 compute(uvec2 a) {
    switch (OP) {
    case SIN: return double_sin(a);
    case COS: return double_cos(a);
    case TAN: return double_tan(a);
    }
    return a;
}

void main() { run(); }
