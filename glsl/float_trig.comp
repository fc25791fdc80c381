#version 450
#extension GL_GOOGLE_include_directive : require
#define SOURCES 1
#define RESULT float
#include "float_values_head.glsl"
#include "trig_head.glsl"
#define PART uvec3  // an Angle
#include "elementwise_head.glsl"
#include "fused_head.glsl"

bool is_rare(float a) { return is_far_angle(before(a)); }
uvec3 part_of(Angle angle) { return uvec3(floatBitsToUint(angle.rest), angle.quarters); }
uvec3 common_part(float a) { return part_of(near_angle(before(a))); }
uvec3 rare_part(float a) { return part_of(far_angle(before(a))); }

float compute_with(float a, uvec3 part) {
    a = before(a);
    Angle angle = Angle(uintBitsToFloat(part.xy), part.z);
    switch (OP) {
    case SIN: return float_sin(a, angle);
    case COS: return float_cos(a, angle);
    case TAN: return float_tan(a, angle);
    }
    return a;
}

void main() { run(); }
