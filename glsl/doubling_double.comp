#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define WORDS 2
#define STORED FLOAT64
#include "types/double_values.glsl"
#include "math/double_log.glsl"
#include "families/doubling.glsl"

uvec2 combine(uvec2 near, uvec2 far) { return double_logaddexp(near, far); }

void main() { run(); }
