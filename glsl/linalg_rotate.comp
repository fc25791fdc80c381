#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Apply the rotations that one launch of linalg_chase left, to rows of matrices, one after the other. A member takes a
// column. Neighbouring rotations share a row, which is kept until the next one.
#define BASES a_base, states_base, rotations_base
#define EXTRA uint columns, row_step, pitch, state_pitch, rotations_pitch, slot, slots;
#include "families/team.glsl"
#include "families/chase_state.glsl"

layout(binding = 0) buffer A { REAL a[]; };
layout(binding = 1) readonly buffer States { uint states[]; };
layout(binding = 2) readonly buffer Rotations { REAL rotations[]; };

void unit(uint matrix) {
    uint state = push.states_base + matrix * push.state_pitch, count = states[state + COUNT];
    uint from = push.rotations_base + matrix * push.rotations_pitch + push.slot;
    for (uint j = member; j < push.columns && count > 0; j += members) {
        uint base = push.a_base + matrix * push.pitch + j, row = states[state + PLACES];
        REAL held = a[base + row * push.row_step];
        for (uint k = 0; k < count; k++) {
            uint place = states[state + PLACES + k];
            if (place != row) {
                a[base + row * push.row_step] = held;
                held = a[base + place * push.row_step];
            }
            REAL c = rotations[from + k * push.slots], s = rotations[from + k * push.slots + 1];
            REAL next = a[base + (place + 1) * push.row_step];
            a[base + place * push.row_step] = plus(times(c, held), times(s, next));
            held = minus(times(c, next), times(s, held));
            row = place + 1;
        }
        a[base + row * push.row_step] = held;
    }
}

void main() { run(); }
