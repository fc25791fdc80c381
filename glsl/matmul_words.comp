#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Products computed with 64 bits: one sum for each element of dst.
#ifdef FLOAT
#include "types/double_values.glsl"
#include "math/double.glsl"
#else
#include "types/long_values.glsl"
#endif
#include "families/matmul.glsl"
#define T uvec2
#define WORDS 2
#include "index/words.glsl"

layout(constant_id = 10) const bool ONES = false;  // A is not read: every element is 1
layout(constant_id = 11) const uint A_TYPE = FLOAT64;
layout(constant_id = 12) const uint B_TYPE = FLOAT64;
layout(constant_id = 13) const bool MORE = false;  // add to dst, which has the sums of the terms before

layout(binding = DST_BINDING) readonly buffer Before { uvec2 before[]; };

#define SOURCE 0
#define SOURCE_TYPE A_TYPE
#define NAMED(name) a_##name
#include "families/matmul_element.glsl"
#undef SOURCE
#undef SOURCE_TYPE
#undef NAMED
#define SOURCE 1
#define SOURCE_TYPE B_TYPE
#define NAMED(name) b_##name
#include "families/matmul_element.glsl"

#ifdef FLOAT
#define NOTHING uvec2(0u, 0x80000000u)  // -0: adding it changes no number, not even +0 or -0
uvec2 plus(uvec2 a, uvec2 b) { return double_add(a, b); }
uvec2 times(uvec2 a, uvec2 b) { return double_multiply(a, b); }
#else
#define NOTHING uvec2(0u)
uvec2 plus(uvec2 a, uvec2 b) { return long_add(a, b); }
uvec2 times(uvec2 a, uvec2 b) { return long_multiply(a, b); }
#endif

void start_row(PLACE at) {}

uvec4 make_quad(PLACE at) { return uvec4(make(at), make(at + row_step())); }

uvec2 make(PLACE at) {
    uvec2 sum = NOTHING;
    for (uint start = 0; start < push.depth; start += RUN_OF_SUM) {
        uvec2 run = NOTHING;
        for (uint k = start; k < min(start + RUN_OF_SUM, push.depth); k++) {
            uvec2 b = b_element(at.y + k * push.b_step);
            run = plus(run, ONES ? b : times(a_element(at.x + k * push.a_step), b));
        }
        sum = plus(sum, run);
    }
    if (MORE) sum = plus(before[at.z], sum);
    return sum;
}

void main() { run(); }
