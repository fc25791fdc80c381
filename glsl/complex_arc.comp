#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define RESULT uvec4
#include "types/double_complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/complex_arc.glsl"

uvec4 compute(uvec4 a) {
    switch (OP) {
    case ASIN: return double_complex_asin(a);
    case ACOS: return double_complex_acos(a);
    case ATAN: return double_complex_atan(a);
    }
    return a;
}

void main() { run(); }
