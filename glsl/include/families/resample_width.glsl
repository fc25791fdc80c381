// WIDTH elements of dst that have the same taps and lie side by side; NAMED prefixes the names.

Values NAMED(read)(PLACE at, uint offset) {
    Values values;
    at.x += offset;
    if (WIDTH > 1 && step_of(0) == 1 && (SRC_QUADS & 1) != 0) return x_run(at.x);
    [[unroll]] for (uint k = 0; k < WIDTH; k++) values.at[k] = x_element(at + k * row_step());
    return values;
}

void NAMED(make)(PLACE at) {
    if (TAPS == 1) {
        uint offset = along[0].at[0];
        if (SPATIAL > 1) offset += along[1].at[0];
        if (SPATIAL > 2) offset += along[2].at[0];
        Values values = NAMED(read)(at, offset);
        [[unroll]] for (uint k = 0; k < WIDTH; k++) made[k] = values.at[k];
        return;
    }
    float solid[WIDTH], plane[WIDTH], line[WIDTH];
    [[unroll]] for (uint z = 0; z < (SPATIAL > 2 ? TAPS : 1); z++) {
        [[unroll]] for (uint y = 0; y < (SPATIAL > 1 ? TAPS : 1); y++) {
            uint from = (SPATIAL > 1 ? along[1].at[y] : 0) + (SPATIAL > 2 ? along[2].at[z] : 0);
            [[unroll]] for (uint x = 0; x < TAPS; x++) {
                Values values = NAMED(read)(at, from + along[0].at[x]);
                [[unroll]] for (uint k = 0; k < WIDTH; k++)
                    line[k] = weighed(line[k], x == 0, to_float(values.at[k]), along[0].factors[x]);
            }
            [[unroll]] for (uint k = 0; k < WIDTH; k++)
                plane[k] = SPATIAL > 1 ? weighed(plane[k], y == 0, line[k], along[1].factors[y]) : line[k];
        }
        [[unroll]] for (uint k = 0; k < WIDTH; k++)
            solid[k] = SPATIAL > 2 ? weighed(solid[k], z == 0, plane[k], along[2].factors[z]) : plane[k];
    }
    [[unroll]] for (uint k = 0; k < WIDTH; k++) made[k] = to_bits(solid[k]);
}
#undef WIDTH
#undef NAMED
