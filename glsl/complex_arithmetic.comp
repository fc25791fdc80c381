#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT vec2
#include "types/complex_values.glsl"
#include "families/elementwise.glsl"
#include "math/complex.glsl"
#include "math/complex_log.glsl"

vec2 compute(vec2 a, vec2 b) {
    precise vec2 result = a;
    switch (OP) {
    case ADD: result = a + b; break;
    case SUBTRACT: result = a - b; break;
    case MULTIPLY: result = complex_multiply(a, b); break;
    case DIVIDE: result = complex_divide(a, b); break;
    case NEGATIVE: result = complex_negate(a); break;
    case CONJ: result = complex_conj(a); break;
    case SQUARE: result = complex_multiply(a, a); break;
    case SQRT: result = complex_from_double(double_complex_sqrt(complex_to_double(a))); break;
    case SIGN: result = complex_from_double(double_complex_sign(complex_to_double(a))); break;
    case ROUND: result = vec2(float_round(a.x), float_round(a.y)); break;
    case RECIPROCAL: result = complex_divide(vec2(1.0, 0.0), a); break;
    }
    return result;
}

void main() { run(); }
