#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Scale a matrix in place by a power of two, so that its largest magnitude is from 1 to 2. Dst gets the power to
// multiply results with. Both are normal numbers.
#define BASES a_base, largest_base, dst_base
#define EXTRA uint size;
#include "families/team.glsl"

layout(binding = 0) buffer A { REAL a[]; };
layout(binding = 1) readonly buffer Largest { REAL largest[]; };
layout(binding = 2) writeonly buffer Dst { REAL dst[]; };

void unit(uint matrix) {
    int exponent = clamp(exponent_of(largest[push.largest_base + matrix]), LEAST_EXPONENT, -LEAST_EXPONENT);
    REAL down = two_to(-exponent);
    uint base = push.a_base + matrix * push.size;
    if (member == 0) dst[push.dst_base + matrix] = two_to(exponent);
    for (uint i = member; i < push.size; i += members) a[base + i] = times(a[base + i], down);
}

void main() { run(); }
