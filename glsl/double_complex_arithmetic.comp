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
    case ADD: return double_complex_add(a, b);
    case SUBTRACT: return double_complex_add(a, double_complex_negate(b));
    case MULTIPLY: return double_complex_multiply(a, b);
    case DIVIDE: return double_complex_divide(a, b);
    case NEGATIVE: return double_complex_negate(a);
    case CONJ: return double_complex_conj(a);
    case SQUARE: return double_complex_multiply(a, a);
    case SQRT: return double_complex_sqrt(a);
    case SIGN: return double_complex_sign(a);
    case ROUND: return uvec4(double_round(a.xy), double_round(a.zw));
    case RECIPROCAL: return double_complex_divide(uvec4(DOUBLE_ONE, 0, 0), a);
    }
    return a;
}

void main() { run(); }
