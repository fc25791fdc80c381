#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Products of complex128.
#include "math/double_complex.glsl"
struct Factor {
    uvec4 number;
    uint there;  // 1, or 0 for a number that is missing: see reduce_complex.comp
};
#define VALUE Factor
#define T uvec4
#define BITS 128
#define CHAIN
#define AT_ONCE 1
#include "families/reduce.glsl"

Factor leaf_value(uvec4 raw, uint index) { return Factor(raw, 1u); }
uvec4 element_of(Factor value) { return value.number; }

Factor identity() { return Factor(uvec4(0u), 0u); }

Factor combine(Factor left, Factor right) {
    if (right.there == 0u) return left;
    return Factor(double_complex_multiply(left.number, right.number), left.there);
}
