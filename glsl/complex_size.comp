#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#if BITS == 32
#define RESULT float
#include "types/complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/hypot.glsl"

float compute(vec2 a) {
    switch (OP) {
    case ABS: return float_hypot(a.x, a.y);
    }
    return a.x;
}
#else
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
#endif

void main() { run(); }
