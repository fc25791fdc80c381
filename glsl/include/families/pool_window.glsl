// WIDTH elements of dst that have one window and lie side by side; NAMED prefixes the names.

// Reads an element for each, `place` elements into the spatial dims of src, unless that is outside.
void NAMED(take)(PLACE at, uvec3 place, bool there) {
    uint offset = place.x * STEP(0), flat_place = place.x;
    if (SPATIAL > 1) {
        offset += place.y * STEP(1);
        flat_place += place.y * SIZE(0);
    }
    if (SPATIAL > 2) {
        offset += place.z * STEP(2);
        flat_place += place.z * SIZE(0) * SIZE(1);
    }
    at.x += there ? offset : 0;
    Values values;
    if (WIDTH > 1 && step_of(0) == 1 && (SRC_QUADS & 1) != 0)
        values = x_run(at.x);
    else
        [[unroll]] for (uint k = 0; k < WIDTH; k++) values.at[k] = x_element(at + k * row_step());
    [[unroll]] for (uint k = 0; k < WIDTH; k++) accept(k, values.at[k], flat_place, there);
}

// Continue with what an earlier launch left.
void NAMED(resume)(PLACE at) {
    [[unroll]] for (uint k = 0; k < WIDTH; k++) {
        uint left = prior_bits(at.z + k);
        if (OP == POOL_AVG || OP == POOL_LP) {
            sums[k] = uintBitsToFloat(left);
        } else if (OP == POOL_MAX) {
            results[k] = left;
            keys[k] = key_of(left);
        } else if (left != NONE) {
            uint row = left / SIZE(0), plane = row / SIZE(1);
            PLACE from = at + k * row_step();
            from.x += left % SIZE(0) * STEP(0) + row % SIZE(1) * STEP(1) + plane * STEP(2);
            places[k] = left;
            keys[k] = key_of(x_element(from));
        }
    }
}

void NAMED(pool)(PLACE at) {
    window_at(at.y);
    [[unroll]] for (uint k = 0; k < WIDTH; k++) clear(k);
    if (MORE) NAMED(resume)(at);
    if (UNROLLED) {
        [[unroll]] for (uint t = 0; t < BOX_0 * BOX_1 * BOX_2; t++) {
            uvec3 by = uvec3(t % BOX_0, t / BOX_0 % BOX_1, t / (BOX_0 * BOX_1));
            uvec3 place = uvec3(box_start[0] + by.x * DILATION_0, box_start[1] + by.y * DILATION_1,
                                box_start[2] + by.z * DILATION_2);
            bool there = place.x < limit[0] && place.y < limit[1] && place.z < limit[2];
            NAMED(take)(at, place, there);
        }
    } else {
        uint first[3], beyond[3];
        [[unroll]] for (uint k = 0; k < 3; k++) {
            first[k] = first_inside(box_start[k], OF_DIM(DILATION));
            beyond[k] = first_beyond(box_start[k], OF_DIM(DILATION), limit[k], OF_DIM(BOX));
        }
        for (uint z = first[2]; z < beyond[2]; z++)
            for (uint y = first[1]; y < beyond[1]; y++)
                for (uint x = first[0]; x < beyond[0]; x++) {
                    uvec3 place = uvec3(box_start[0] + x * DILATION_0, box_start[1] + y * DILATION_1,
                                        box_start[2] + z * DILATION_2);
                    NAMED(take)(at, place, true);
                }
    }
#if BITS == 16 || BITS == 32
    if (OP == POOL_MAX || OP == POOL_INDEX) return;
    float count = OP == POOL_AVG && LAST ? window_count() : 1.0;
    [[unroll]] for (uint k = 0; k < WIDTH; k++) {
        float value = LAST ? whole_of(sums[k], count) : sums[k];
        results[k] = TYPE == FLOAT16 ? float_to_half(value) : floatBitsToUint(value);
    }
#endif
}
#undef WIDTH
#undef NAMED
