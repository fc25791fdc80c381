#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Norms of whole rows.
#include "types/float_values.glsl"
#include "families/rows_source.glsl"
#include "families/finish.glsl"
#define VALUE vec3
#define VALUES 3
#define COMBINE_SAME
#include "families/rows.glsl"
#include "math/moments.glsl"
