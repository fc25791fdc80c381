#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Apply the rotations that one launch of linalg_chase left, to rows of matrices, one after the other. A member takes
// AT_ONCE columns, which share what it reads of a rotation. Neighbouring rotations share a row, which is kept until the
// next one.
#define BASES a_base, states_base, rotations_base
#define EXTRA uint columns, row_step, pitch, state_pitch, rotations_pitch, slot, slots;
#include "families/team.glsl"
#include "families/chase_state.glsl"

layout(constant_id = 1) const uint AT_ONCE = 1;  // which divides the number of columns
#define MOST_AT_ONCE 4
#define EACH(c) [[unroll]] for (uint c = 0; c < AT_ONCE; c++)

layout(binding = 0) buffer A { REAL a[]; };
layout(binding = 1) readonly buffer States { uint states[]; };
layout(binding = 2) readonly buffer Rotations { REAL rotations[]; };

void unit(uint matrix) {
    uint state = push.states_base + matrix * push.state_pitch, count = states[state + COUNT];
    uint from = push.rotations_base + matrix * push.rotations_pitch + push.slot, apart = push.columns / AT_ONCE;
    for (uint j = member; j < apart && count > 0; j += members) {
        uint base = push.a_base + matrix * push.pitch + j, row = states[state + PLACES];
        REAL held[MOST_AT_ONCE];
        EACH(c) held[c] = a[base + c * apart + row * push.row_step];
        for (uint k = 0; k < count; k++) {
            uint place = states[state + PLACES + k];
            if (place != row)
                EACH(c) {
                    a[base + c * apart + row * push.row_step] = held[c];
                    held[c] = a[base + c * apart + place * push.row_step];
                }
            REAL cosine = rotations[from + k * push.slots], sine = rotations[from + k * push.slots + 1];
            EACH(c) {
                uint at = base + c * apart + place * push.row_step;
                REAL next = a[at + push.row_step];
                a[at] = plus(times(cosine, held[c]), times(sine, next));
                held[c] = minus(times(cosine, next), times(sine, held[c]));
            }
            row = place + 1;
        }
        EACH(c) a[base + c * apart + row * push.row_step] = held[c];
    }
}

void main() { run(); }
