// Rows: the first RUN dims together, push.extent elements. A unit lies within one row.

#define ANY 2  // a step along a row that is neither 0 nor 1

layout(constant_id = 4) const uint RUN = 1;
layout(constant_id = 5) const uint UNIT = 4;      // elements of a whole unit
layout(constant_id = 6) const uint STEPS = ANY;   // along a row in each source, 2 bits each: 0, 1 or ANY
layout(constant_id = 7) const bool DENSE = true;  // a row of dst has no gaps

uint step_of(uint source) { return STEPS >> 2 * source & 3; }

struct Walk {
    PLACE place;
    uint at[8];  // coordinates in the row
};

// The strides of dim 0.
PLACE row_step() {
    PLACE by = strides[0];
    [[unroll]] for (uint s = 0; s < SOURCES; s++) by[s] = step_of(s) == ANY ? by[s] : step_of(s);
    if (DENSE) by[SOURCES] = 1;
    return by;
}

// The addresses of the first element of a row.
PLACE row_bases(uint row) {
    PLACE at = bases;
    [[unroll]] for (uint k = RUN; k < RANK; k++) at += take(row, k) * strides[k];
    return at;
}

Walk walk_from(PLACE row, uint element) {
    Walk walk = Walk(row, uint[8](0, 0, 0, 0, 0, 0, 0, 0));
    uint left = element;
    [[unroll]] for (uint k = 0; k < RUN; k++) {
        uint at = left;
        if (k + 1 < RUN) left = divide(left, sizes[k], reciprocals[k], at);
        walk.at[k] = at;
        walk.place += at * (k == 0 ? row_step() : strides[k]);
    }
    if (DENSE) walk.place[SOURCES] = row[SOURCES] + element;
    return walk;
}

void step(inout Walk walk) {
    walk.place += row_step();
    walk.at[0]++;
    [[unroll]] for (uint k = 0; k + 1 < RUN; k++) {
        bool carry = walk.at[k] == sizes[k];
        PLACE jump = strides[k + 1] - sizes[k] * strides[k];
        if (DENSE) jump[SOURCES] = 0;
        walk.at[k] = carry ? 0 : walk.at[k];
        walk.at[k + 1] += uint(carry);
        walk.place += carry ? jump : PLACE(0);
    }
}
