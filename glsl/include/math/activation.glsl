// Activations that have no file of their own. Each product in them is rounded once.
#include "math/divide.glsl"
#include "math/erf.glsl"
#include "math/exp.glsl"
#include "math/log.glsl"
#include "math/round.glsl"

float activation_product(float a, float b) {
    precise float product = a * b;
    return product;
}

float activation_elu(float x, float alpha, float gamma) {
    precise float below = alpha * float_expm1(x);
    below = gamma * below;
    precise float above = gamma * x;
    return float_less(0.0, x) ? above : below;
}

float activation_celu(float x, float alpha) {
    precise float below = alpha * float_expm1(float_divide(x, alpha));
    precise float sum = float_max(x, 0.0) + float_min(below, 0.0);
    return sum;
}

float activation_leaky(float x, float slope) {
    precise float below = slope * x;
    return float_less(x, 0.0) ? below : x;
}

float activation_thresholded(float x, float threshold) {
    bool passes = !float_less(x, threshold) && !float_equal(x, threshold);
    return passes ? x : 0.0;
}

float activation_linear(float x, float alpha, float beta) {
    precise float sum = alpha * x;
    sum = sum + beta;
    return sum;
}

float activation_shrink(float x, float bias, float threshold) {
    precise float above = x - bias, below = x + bias;
    float inside = float_magnitude(x) > FLOAT_INFINITY ? x : 0.0;
    return float_less(threshold, x) ? above : float_less(x, -threshold) ? below : inside;
}

float activation_hard(float x, float alpha, float beta) {
    return float_max(0.0, float_min(activation_linear(x, alpha, beta), 1.0));
}

float activation_softsign(float x) {
    precise float sum = 1.0 + uintBitsToFloat(float_magnitude(x));
    float sign = uintBitsToFloat(FLOAT_ONE | floatBitsToUint(x) & FLOAT_SIGN);
    return float_magnitude(x) == FLOAT_INFINITY ? sign : float_divide(x, sum);
}

float activation_softplus(float x, float steepness) {
    Lifted parts = softplus_parts(activation_product(steepness, x));
    return scale_by(float_divide(parts.value, steepness), parts.power);
}

float activation_parametric_softplus(float x, float alpha, float beta) {
    Lifted parts = softplus_parts(activation_product(beta, x));
    return scale_by(activation_product(alpha, parts.value), parts.power);
}

// The activation of this opcode with its numbers; any other opcode leaves x as it is.
float activated(uint opcode, float x, float alpha, float beta) {
    switch (opcode) {
    case RELU: return float_max(x, 0.0);
    case ELU: return activation_elu(x, alpha, 1.0);
    case SCALED_ELU: return activation_elu(x, alpha, beta);
    case CELU: return activation_celu(x, alpha);
    case LEAKY_RELU: return activation_leaky(x, alpha);
    case THRESHOLDED_RELU: return activation_thresholded(x, alpha);
    case LINEAR: return activation_linear(x, alpha, beta);
    case SHRINK: return activation_shrink(x, alpha, beta);
    case HARD_SIGMOID: return activation_hard(x, alpha, beta);
    case HARD_SWISH: return activation_product(x, activation_hard(x, alpha, beta));
    case SOFTSIGN: return activation_softsign(x);
    case SIGMOID: return float_sigmoid(x);
    case SWISH: return float_swish(x, activation_product(alpha, x));
    case SOFTPLUS: return activation_softplus(x, alpha);
    case PARAMETRIC_SOFTPLUS: return activation_parametric_softplus(x, alpha, beta);
    case SCALED_TANH: return activation_product(alpha, float_tanh(activation_product(beta, x)));
    case TANH: return float_tanh(x);
    case GELU: return float_gelu(x);
    }
    return x;
}
