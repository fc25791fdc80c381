// All activations with at most two parameters, by opcode.
#include "math/activation.glsl"

float activate(uint opcode, float a, float alpha, float beta) {
    switch (opcode) {
    case RELU: return float_max(a, 0.0);
    case ELU: return activation_elu(a, alpha, 1.0);
    case SCALED_ELU: return activation_elu(a, alpha, beta);
    case CELU: return activation_celu(a, alpha);
    case LEAKY_RELU: return activation_leaky(a, alpha);
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
