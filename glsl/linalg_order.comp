#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Sort the numbers of a matrix, and with them rows of `columns` numbers; equal ones keep their order. Numbers become
// magnitudes if `signs` is 1; if it is 2, rows whose numbers were negative are negated too. A member takes a row.
#define BASES values_base, a_base, dst_base, sorted_base
#define EXTRA uint rows, columns, row_step, values_pitch, descending, signs;
#include "families/team.glsl"
#include "types/key.glsl"

layout(binding = 0) readonly buffer Values { REAL values[]; };
layout(binding = 1) readonly buffer A { REAL a[]; };
layout(binding = 2) writeonly buffer Dst { REAL dst[]; };
layout(binding = 3) writeonly buffer Sorted { REAL sorted[]; };

REAL number(uint at) {
    REAL value = values[at];
    return push.signs == 0u ? value : magnitude(value);
}

// By their bits, since a driver may take subnormal numbers for zeros.
#ifdef DOUBLE
uvec2 key(REAL a) { return key_of(a, FLOAT64); }
#else
uvec2 key(REAL a) { return key_of(uvec2(floatBitsToUint(a), 0u), FLOAT32); }
#endif

bool ahead(uvec2 a, uvec2 b) { return push.descending == 0u ? key_less(a, b) : key_less(b, a); }

void unit(uint matrix) {
    uint n = push.rows, first = push.values_base + matrix * push.values_pitch;
    for (uint i = member; i < n; i += members) {
        REAL own = number(first + i);
        uvec2 own_key = key(own);
        uint place = 0;
        for (uint k = 0; k < n; k++) {
            uvec2 other = key(number(first + k));
            place += uint(ahead(other, own_key) || k < i && !ahead(own_key, other));
        }
        sorted[push.sorted_base + matrix * n + place] = own;
        bool turned = push.signs == 2u && is_negative(values[first + i]);
        uint from = push.a_base + (matrix * n + i) * push.row_step;
        uint to = push.dst_base + (matrix * n + place) * push.columns;
        for (uint j = 0; j < push.columns; j++) {
            REAL cell = a[from + j];
            dst[to + j] = turned ? negative(cell) : cell;
        }
    }
}

void main() { run(); }
