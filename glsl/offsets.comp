#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Rows of `extent` counts and a word more become where each begins: the sum of all before it, and last the total.
// A workgroup does a row, and each of its invocations adjacent words.
#define TEAM
#define BASES dst_base
#define FROM push.dst_base
#define MAX_RANK 1
#define EXTRA
#include "index/index.glsl"

layout(binding = 0) buffer Dst { uint dst[]; };

shared uint sums[2 * 256];
#define SUMS(i) sums[i]
#include "index/team_sums.glsl"

void unit(uint n, bool whole) {
    uint row = push.dst_base + n * (extent + 1), per = (extent + LANES - 1) / LANES;
    uint start = min(gl_LocalInvocationID.x * per, extent), end = min(start + per, extent);
    uint sum = 0, all;
    for (uint i = start; i < end; i++) sum += dst[row + i];
    uint before = sum_before(sum, all);
    for (uint i = start; i < end; i++) {
        uint count = dst[row + i];
        dst[row + i] = before;
        before += count;
    }
    if (gl_LocalInvocationID.x == 0) dst[row + extent] = all;
}

void main() { run(); }
