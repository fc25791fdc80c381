#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The elements of softmax and of norms: from an element, the pair of numbers of its row, which
// reduce_softmax.comp or reduce_moments.comp made, and the weight and bias. BEFORE is an activation here, which
// comes after OP, with its numbers as scalars; or 0.
#define SOURCES 3
#define UNROLL [[unroll]]
#define RESULT float
#include "types/pair_values.glsl"
#include "families/elementwise.glsl"
#include "families/finish.glsl"

float compute(vec2 a, vec2 row, vec2 affine) {
    float alpha = uintBitsToFloat(push.scalars[0]), beta = uintBitsToFloat(push.scalars[1]);
    return activated(BEFORE, finished(a, row, affine), alpha, beta);
}

void main() { run(); }
