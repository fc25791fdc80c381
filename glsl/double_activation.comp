#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 2
#define RESULT uvec2
#include "types/double_values.glsl"
#include "families/elementwise.glsl"
#include "math/double_activation.glsl"

uvec2 compute(uvec2 a, uvec2 b) {
    uvec2 alpha = uvec2(push.scalars[0], push.scalars[1]);
    uvec2 beta = uvec2(push.scalars[2], push.scalars[3]);
    return OP == PARAMETERIZED_RELU ? activation_leaky(a, b) : activated(OP, a, alpha, beta);
}

void main() { run(); }
