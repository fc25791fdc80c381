#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Softmax of whole rows.
#include "types/float_values.glsl"
#include "families/rows_source.glsl"
#include "families/finish.glsl"
#define VALUE vec2
#define VALUES 2
#include "families/rows.glsl"
#include "math/exp_sum.glsl"
