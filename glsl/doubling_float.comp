#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define WORDS 1
#define STORED FLOAT32
#include "types/float_values.glsl"
#include "math/log.glsl"
#include "families/doubling.glsl"

float combine(float near, float far) { return float_logaddexp(near, far); }

void main() { run(); }
