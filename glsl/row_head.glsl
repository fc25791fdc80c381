// Rows: the first RUN dims taken together, push.extent elements. A unit lies in one row.

layout(constant_id = 4) const uint RUN = 1;
layout(constant_id = 5) const uint UNIT = 4;      // elements in a whole unit
layout(constant_id = 6) const uint STEP = 2;      // what src moves by along a row: 0, 1, or 2 for any
layout(constant_id = 7) const bool DENSE = true;  // a row of dst has no gaps

struct Walk {
    uint src, dst;  // addresses
    uint at[8];     // coordinates in the row
};

// The addresses of a row's first element in src and dst.
uvec2 row_bases(uint row) {
    uvec2 at = bases;
    for (uint k = RUN; k < RANK; k++) at += take(row, k) * strides[k];
    return at;
}

Walk walk_from(uvec2 row, uint element) {
    Walk walk = Walk(row.x, row.y, uint[8](0, 0, 0, 0, 0, 0, 0, 0));
    uint left = element;
    for (uint k = 0; k < RUN; k++) {
        uint at = left;
        if (k + 1 < RUN) left = divide(left, sizes[k], reciprocals[k], at);
        walk.at[k] = at;
        walk.src += at * (STEP == 2 ? strides[k].x : STEP);
        if (!DENSE) walk.dst += at * strides[k].y;
    }
    if (DENSE) walk.dst += element;
    return walk;
}

void step(inout Walk walk) {
    walk.src += STEP == 2 ? strides[0].x : STEP;
    walk.dst += DENSE ? 1 : strides[0].y;
    walk.at[0]++;
    for (uint k = 0; k + 1 < RUN; k++) {
        bool carry = walk.at[k] == sizes[k];
        uvec2 jump = strides[k + 1] - sizes[k] * strides[k];
        walk.at[k] = carry ? 0 : walk.at[k];
        walk.at[k + 1] += uint(carry);
        walk.src += carry ? jump.x : 0;
        if (!DENSE) walk.dst += carry ? jump.y : 0;
    }
}
