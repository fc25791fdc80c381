#version 450
#extension GL_GOOGLE_include_directive : require
#define SOURCES 1
#define RESULT float
#include "float_values_head.glsl"
#include "trig_head.glsl"
#define PART Angle
#include "elementwise_head.glsl"
#include "fused_head.glsl"

bool is_rare(float a) { return is_far_angle(before(a)); }
Angle common_part(float a) { return near_angle(before(a)); }
Angle rare_part(float a) { return far_angle(before(a)); }

float compute_with(float a, Angle angle) {
    a = before(a);
    switch (OP) {
    case SIN: return float_sin(a, angle);
    case COS: return float_cos(a, angle);
    case TAN: return float_tan(a, angle);
    }
    return a;
}

void main() { run(); }
