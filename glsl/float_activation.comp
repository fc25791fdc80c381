#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Activations, optionally of a sum.
#define SOURCES 2
#define RESULT float
#include "types/float_values.glsl"
#include "families/elementwise.glsl"
#include "families/fused.glsl"
#include "math/activation.glsl"

float compute(float a, float b) {
    a = before(a, b);
    float alpha = uintBitsToFloat(push.scalars[0]), beta = uintBitsToFloat(push.scalars[1]);
    switch (OP) {
    case RELU: return float_max(a, 0.0);
    case ELU: return activation_elu(a, alpha, 1.0);
    case SCALED_ELU: return activation_elu(a, alpha, beta);
    case CELU: return activation_celu(a, alpha);
    case LEAKY_RELU: return activation_leaky(a, alpha);
    case PARAMETERIZED_RELU: return activation_leaky(a, b);
    case THRESHOLDED_RELU: return activation_thresholded(a, alpha);
    case LINEAR: return activation_linear(a, alpha, beta);
    case SHRINK: return activation_shrink(a, alpha, beta);
    case HARD_SIGMOID: return activation_hard(a, alpha, beta);
    case HARD_SWISH: return activation_product(a, activation_hard(a, alpha, beta));
    case SOFTSIGN: return activation_softsign(a);
    case SIGMOID: return float_sigmoid(a);
    case SWISH: return float_swish(a, activation_product(alpha, a));
    case SOFTPLUS: return activation_softplus(a, alpha);
    case PARAMETRIC_SOFTPLUS: return activation_parametric_softplus(a, alpha, beta);
    case SCALED_TANH: return activation_product(alpha, float_tanh(activation_product(beta, a)));
    case TANH: return float_tanh(a);
    case GELU: return float_gelu(a);
    }
    return a;
}

void main() { run(); }
