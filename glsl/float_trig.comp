#version 450
#extension GL_GOOGLE_include_directive : require
#define SOURCES 1
#define RESULT float
#include "float_values_head.glsl"
#include "elementwise_head.glsl"
#include "fused_head.glsl"
#include "trig_head.glsl"

float compute(float a) {
    a = before(a);
    switch (OP) {
    case SIN: return float_sin(a);
    case COS: return float_cos(a);
    case TAN: return float_tan(a);
    }
    return a;
}

void main() { run(); }
