#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Apply the rotations that one launch of linalg_chase left, to rows of matrices. A member takes CELLS cells, of
// neighbouring columns each if WIDE is defined, which share what it reads of a rotation. It applies AT_ONCE runs, one
// a row behind the other, so that it reads and writes each row once for them: an element goes through the same
// rotations in the same order.
#define BASES a_base, states_base, rotations_base
#define EXTRA uint cells, row_step, pitch, state_pitch, rotations_pitch, side, sides;
#include "families/team.glsl"
#include "families/chase_state.glsl"

layout(constant_id = 1) const uint CELLS = 1;  // which divides the number of them
layout(constant_id = 2) const uint AT_ONCE = 4;
#define MOST_CELLS 2
#define EACH(c) [[unroll]] for (uint c = 0; c < CELLS; c++)
#define MOST_AT_ONCE 4
#define HELD (MOST_AT_ONCE + 1)

#ifndef WIDE
#define CELL REAL
#elif defined(DOUBLE)
#define CELL uvec4
CELL times(REAL a, CELL b) { return CELL(times(a, b.xy), times(a, b.zw)); }
CELL plus(CELL a, CELL b) { return CELL(plus(a.xy, b.xy), plus(a.zw, b.zw)); }
CELL minus(CELL a, CELL b) { return CELL(minus(a.xy, b.xy), minus(a.zw, b.zw)); }
#else
#define CELL vec4
CELL times(REAL a, CELL b) {
    precise CELL product = a * b;
    return product;
}
CELL plus(CELL a, CELL b) {
    precise CELL sum = a + b;
    return sum;
}
CELL minus(CELL a, CELL b) {
    precise CELL difference = a - b;
    return difference;
}
#endif
#ifdef DOUBLE
#define PAIR uvec4
#define COSINE(pair) pair.xy
#define SINE(pair) pair.zw
#else
#define PAIR vec2
#define COSINE(pair) pair.x
#define SINE(pair) pair.y
#endif

layout(binding = 0) buffer A { CELL a[]; };
layout(binding = 1) readonly buffer States { uint states[]; };
layout(binding = 2) readonly buffer Rotations { PAIR rotations[]; };

#define NAMED(name) name
#define NUMBERS CELL  // what a member keeps of a cell
#define FACTOR REAL
#define NUMBERS_OF(cell) cell
#define CELL_OF(numbers) numbers
#define FACTOR_OF(real) real
#include "families/rotate_rows.glsl"

#ifdef DOUBLE
// The device's own numbers, which become words once they are stored.
#undef NAMED
#undef NUMBERS
#undef FACTOR
#undef NUMBERS_OF
#undef CELL_OF
#undef FACTOR_OF
#define NAMED(name) natively_##name
#define FACTOR double
#define FACTOR_OF(real) NUMBER(real)
#ifdef WIDE
#define NUMBERS dvec2
#define NUMBERS_OF(cell) dvec2(NUMBER(cell.xy), NUMBER(cell.zw))
#define CELL_OF(numbers) uvec4(native_words(numbers.x), native_words(numbers.y))
#else
#define NUMBERS double
#define NUMBERS_OF(cell) NUMBER(cell)
#define CELL_OF(numbers) native_words(numbers)
#endif
NUMBERS times(FACTOR a, NUMBERS b) {
    precise NUMBERS product = a * b;
    return product;
}
NUMBERS plus(NUMBERS a, NUMBERS b) {
    precise NUMBERS sum = a + b;
    return sum;
}
NUMBERS minus(NUMBERS a, NUMBERS b) {
    precise NUMBERS difference = a - b;
    return difference;
}
#include "families/rotate_rows.glsl"
#endif

void unit(uint matrix) {
#ifdef DOUBLE
    if ((NATIVE & (NATIVE_ADD | NATIVE_MULTIPLY)) == (NATIVE_ADD | NATIVE_MULTIPLY)) {
        natively_rotate_rows(matrix);
        return;
    }
#endif
    rotate_rows(matrix);
}

void main() { run(); }
