#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define RESULT uvec4
#include "types/double_complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/complex_exp.glsl"

uvec4 compute(uvec4 a) {
    switch (OP) {
    case SIN: return double_complex_sin(a);
    case COS: return double_complex_cos(a);
    case TAN: return double_complex_tan(a);
    }
    return a;
}

void main() { run(); }
