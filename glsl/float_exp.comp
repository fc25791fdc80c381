#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define UNROLL [[unroll]]
#define RESULT float
#include "types/float_values.glsl"
#include "families/elementwise.glsl"
#include "families/prologue.glsl"
#include "math/exp.glsl"

float compute(float a) {
    a = before(a);
    switch (OP) {
    case EXP: return float_exp(a);
    case EXP2: return float_exp2(a);
    case EXPM1: return float_expm1(a);
    case SINH: return float_sinh(a);
    case COSH: return float_cosh(a);
    case TANH: return float_tanh(a);
    }
    return a;
}

void main() { run(); }
