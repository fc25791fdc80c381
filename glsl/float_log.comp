#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT float
#include "types/float_values.glsl"
#include "families/elementwise.glsl"
#include "families/prologue.glsl"
#include "math/log.glsl"

float compute(float a, float b) {
    a = before(a);
    switch (OP) {
    case LOG: return float_log(a);
    case LOG2: return float_log2(a);
    case LOG10: return float_log10(a);
    case LOG1P: return float_log1p(a);
    case ASINH: return float_asinh(a);
    case ACOSH: return float_acosh(a);
    case ATANH: return float_atanh(a);
    case LOGADDEXP: return float_logaddexp(a, b);
    }
    return a;
}

void main() { run(); }
