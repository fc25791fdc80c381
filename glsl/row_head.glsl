// Rows: the first RUN dims taken together, push.extent elements. A unit lies in one row.

layout(constant_id = 4) const uint RUN = 1;
layout(constant_id = 5) const uint UNIT = 4;      // elements in a whole unit
layout(constant_id = 6) const uint STEP = 2;      // what src moves by along a row: 0, 1, or 2 for any
layout(constant_id = 7) const bool DENSE = true;  // a row of dst has no gaps

struct Walk {
    uint src, dst;  // addresses
    uint at[8];     // coordinates in the row
};

// The address of the row's element 0 in src and dst.
uvec2 row_bases(uint row) {
    uvec2 bases = uvec2(SRC_BASE, push.dst_base);
    for (uint k = RUN; k < RANK; k++) {
        uint at = take(row, k);
        bases += at * uvec2(push.src_strides[k], push.dst_strides[k]);
    }
    return bases;
}

Walk walk_from(uvec2 bases, uint element) {
    Walk walk = Walk(bases.x, bases.y, uint[8](0, 0, 0, 0, 0, 0, 0, 0));
    uint left = element;
    for (uint k = 0; k < RUN; k++) {
        uint at = left;
        if (k + 1 < RUN) left = divide(left, push.sizes[k], reciprocals[k], at);
        walk.at[k] = at;
        walk.src += at * (STEP == 2 ? push.src_strides[k] : STEP);
        if (!DENSE) walk.dst += at * push.dst_strides[k];
    }
    if (DENSE) walk.dst += element;
    return walk;
}

void step(inout Walk walk) {
    walk.src += STEP == 2 ? push.src_strides[0] : STEP;
    walk.dst += DENSE ? 1 : push.dst_strides[0];
    walk.at[0]++;
    for (uint k = 0; k + 1 < RUN; k++) {
        bool carry = walk.at[k] == push.sizes[k];
        walk.at[k] = carry ? 0 : walk.at[k];
        walk.at[k + 1] += uint(carry);
        walk.src += carry ? push.src_strides[k + 1] - push.sizes[k] * push.src_strides[k] : 0;
        if (!DENSE)
            walk.dst += carry ? push.dst_strides[k + 1] - push.sizes[k] * push.dst_strides[k] : 0;
    }
}
