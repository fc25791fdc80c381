#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Activations, optionally of a sum.
#define SOURCES 2
#define RESULT float
#include "types/float_values.glsl"
#include "families/elementwise.glsl"
#include "families/prologue.glsl"
#include "math/activation.glsl"

float compute(float a, float b) {
    a = before(a, b);
    float alpha = uintBitsToFloat(push.scalars[0]), beta = uintBitsToFloat(push.scalars[1]);
    return OP == PARAMETERIZED_RELU ? activation_leaky(a, b) : activated(OP, a, alpha, beta);
}

void main() { run(); }
