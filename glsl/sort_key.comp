#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Elements as unsigned integers in the same order, which a mask in scalars[0] reverses.
#define SOURCES 1
#define VALUE uvec2
#define RESULT uvec2
#include "types/key.glsl"

uvec2 decode(uvec2 raw, uint type) { return raw; }
uvec2 to_value(uvec2 words) { return words; }
uvec2 encode(uvec2 value, uint type) { return value; }
#include "families/elementwise.glsl"

uvec2 compute(uvec2 a) { return key_of(a, A_TYPE) ^ push.scalars[0]; }

void main() { run(); }
