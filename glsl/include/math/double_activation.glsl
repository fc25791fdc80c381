// Activations of float64. As those of float32, they round each product with a parameter, but no more.
#ifndef DOUBLE_ACTIVATION_HEAD
#define DOUBLE_ACTIVATION_HEAD
#include "math/double_divide.glsl"
#include "math/double_erf.glsl"
#include "math/double_log.glsl"

uvec2 activation_leaky(uvec2 x, uvec2 slope) {
  return double_less(x, uvec2(0u)) ? double_multiply(slope, x) : x;
}

// alpha (e^x - 1) below 0.
uvec2 activation_elu(uvec2 x, uvec2 alpha, uvec2 gamma) {
  bool above = double_less(uvec2(0u), x);
  uvec2 below = above ? x : double_multiply(alpha, double_expm1(x));
  return double_multiply(gamma, below);
}

uvec2 activation_celu(uvec2 x, uvec2 alpha) {
  uvec2 below = double_multiply(alpha, double_expm1(double_divide(x, alpha)));
  return double_add(double_max(x, uvec2(0u)), double_min(below, uvec2(0u)));
}

uvec2 activation_thresholded(uvec2 x, uvec2 threshold) {
  bool passes = !double_less(x, threshold) && !double_equal(x, threshold);
  return passes ? x : uvec2(0u);
}

uvec2 activation_linear(uvec2 x, uvec2 alpha, uvec2 beta) {
  return double_add(double_multiply(alpha, x), beta);
}

uvec2 activation_shrink(uvec2 x, uvec2 bias, uvec2 threshold) {
  bool above = double_less(threshold, x), below = double_less(x, double_negate(threshold));
  uvec2 moved = double_add(x, above ? double_negate(bias) : bias);
  return above || below ? moved : double_is_nan(x) ? x : uvec2(0u);
}

uvec2 activation_hard(uvec2 x, uvec2 alpha, uvec2 beta) {
  return double_max(uvec2(0u), double_min(activation_linear(x, alpha, beta), DOUBLE_ONE));
}

uvec2 activation_softsign(uvec2 x) {
  uvec2 sum = double_add(DOUBLE_ONE, double_abs(x));
  return double_is_infinite(x) ? double_copysign(DOUBLE_ONE, x) : double_divide(x, sum);
}

// 1 / (1 + e^-x), as a quotient of what e^-|x| is.
Extended extended_sigmoid(Extended x) {
  Extended power = extended_exp(Extended(x.bits, x.exponent, DOUBLE_SIGN));
  Extended num = extended_select(x.sign != 0u, power, EXTENDED_ONE);
  return extended_divide(num, extended_add(EXTENDED_ONE, power));
}

uvec2 activation_sigmoid(uvec2 x) { return double_unless_nan(extended_sigmoid(extended_of(x)), x); }

// x times the sigmoid of a number, which is NaN where x is.
uvec2 activation_swish(uvec2 x, uvec2 scaled) {
  Extended product = extended_multiply(extended_of(x), extended_sigmoid(extended_of(scaled)));
  bool lost = double_is_infinite(x) && double_is_negative(scaled);
  return lost ? DOUBLE_NAN : double_unless_nan(product, scaled);
}

// log(1 + e^x): 0 or x, plus log(1 + e^-|x|).
Extended extended_softplus(Extended x) {
  Extended more = extended_log1p(extended_exp(Extended(x.bits, x.exponent, DOUBLE_SIGN)));
  return extended_select(x.sign != 0u, more, extended_add(x, more));
}

uvec2 activation_softplus(uvec2 x, uvec2 steepness) {
  uvec2 scaled = double_multiply(steepness, x);
  Extended value = extended_softplus(extended_of(scaled));
  uvec2 result = double_of(extended_divide(value, extended_of(steepness)));
  bool usual = double_is_finite(steepness) && !double_is_zero(steepness) && double_is_finite(scaled);
  if (double_is_nan(scaled)) return DOUBLE_NAN;
  return usual ? result : double_divide(double_of(value), steepness);
}

uvec2 activation_parametric_softplus(uvec2 x, uvec2 alpha, uvec2 beta) {
  uvec2 scaled = double_multiply(beta, x);
  Extended value = extended_softplus(extended_of(scaled));
  uvec2 result = double_of(extended_multiply(extended_of(alpha), value));
  bool usual = double_is_finite(alpha) && double_is_finite(scaled);
  if (double_is_nan(scaled)) return DOUBLE_NAN;
  return usual ? result : double_multiply(alpha, double_of(value));
}

// The activation of this opcode with its numbers; any other opcode leaves x as it is.
uvec2 activated(uint opcode, uvec2 x, uvec2 alpha, uvec2 beta) {
  switch (opcode) {
    case RELU: return double_max(x, uvec2(0u));
    case ELU: return activation_elu(x, alpha, DOUBLE_ONE);
    case SCALED_ELU: return activation_elu(x, alpha, beta);
    case CELU: return activation_celu(x, alpha);
    case LEAKY_RELU: return activation_leaky(x, alpha);
    case THRESHOLDED_RELU: return activation_thresholded(x, alpha);
    case LINEAR: return activation_linear(x, alpha, beta);
    case SHRINK: return activation_shrink(x, alpha, beta);
    case HARD_SIGMOID: return activation_hard(x, alpha, beta);
    case HARD_SWISH: return double_multiply(x, activation_hard(x, alpha, beta));
    case SOFTSIGN: return activation_softsign(x);
    case SIGMOID: return activation_sigmoid(x);
    case SWISH: return activation_swish(x, double_multiply(alpha, x));
    case SOFTPLUS: return activation_softplus(x, alpha);
    case PARAMETRIC_SOFTPLUS: return activation_parametric_softplus(x, alpha, beta);
    case SCALED_TANH: return double_multiply(alpha, double_tanh(double_multiply(beta, x)));
    case GELU: return double_gelu(x);
  }
  return x;
}

#endif
