#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Functions that all floats compute in float64.
#define SOURCES 2
#define RESULT uvec2
#include "types/double_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_bessel.glsl"
#include "math/double_erf.glsl"
#include "math/double_gamma.glsl"

uvec2 compute(uvec2 a, uvec2 b) {
    switch (OP) {
    case ERFC: return double_erfc(a);
    case GAMMALN: return double_gammaln(a);
    case DIGAMMA: return double_digamma(a);
    case XLOGY: return double_xlogy(a, b);
    case I0E: return double_i0e(a);
    case I1E: return double_i1e(a);
    }
    return a;
}

void main() { run(); }
