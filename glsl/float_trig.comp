#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SOURCES 1
#define UNROLL [[unroll]]
#define RESULT float
#include "types/float_values.glsl"
#include "math/trig.glsl"
#define RARE
#include "families/elementwise.glsl"
#include "families/prologue.glsl"

float compute_with(float a, Angle angle) {
    switch (OP) {
    case SIN: return float_sin(a, angle);
    case COS: return float_cos(a, angle);
    case TAN: return float_tan(a, angle);
    }
    return a;
}

bool is_rare(float a) { return is_far_angle(before(a)); }

bool any_rare(Values a) {
    bool found = false;
    for (uint k = 0; k < PER; k++) {
        bool rare = is_rare(a.at[k]);
        found = found || rare;
    }
    return found;
}

float compute_common(float a) {
    a = before(a);
    return compute_with(a, near_angle(a));
}

float compute(float a) {
    a = before(a);
    Angle angle = near_angle(a);
    if (is_far_angle(a)) angle = far_angle(a);
    return compute_with(a, angle);
}

void main() { run(); }
