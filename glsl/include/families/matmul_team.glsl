// One source of a block of tiles that a workgroup does together: TERMS of each of BLOCK times SPAN rows or columns
// are in shared memory, four rows as a quad. Tiles that are neighbours read neighbouring quads. The includer
// defines BLOCK, TERMS and VALUE4 beside what matmul_source.glsl needs.
const uint NAMED(QUADS) = (SPAN * BLOCK + 3) / 4;  // at one term, a power of two
const uint NAMED(PIECES) = NAMED(QUADS) * TERMS / 4;

shared VALUE4 NAMED(tile)[NAMED(QUADS) * TERMS];
uint NAMED(base), NAMED(first);  // of the block
uint NAMED(own);                 // the first quad of the tile
uint NAMED(next);                // term to read

// Quads of other terms are shifted, so that invocations that write them do not meet in one bank.
uint NAMED(place)(uint quad, uint term) {
    return term * NAMED(QUADS) + (quad ^ (term / 4 * 2 & NAMED(QUADS) - 1));
}

void NAMED(start)(uint base, uint first) {
    NAMED(own) = first / 4 % BLOCK;
    NAMED(base) = base;
    NAMED(first) = first - 4 * NAMED(own);
    NAMED(next) = 0;
}

// The next TERMS. Each invocation reads pieces of four rows by four terms. Neighbours read along the depth if
// its elements are adjacent, else along the rows.
void NAMED(load)() {
    uint start = NAMED(next), last = push.depth - (READ == BY_DEPTH ? 4 : 1);
    NAMED(next) += TERMS;
    [[unroll]] for (uint n = 0; n < NAMED(PIECES); n += LANES) {
        uint piece = n + NUMBER;
        if (NAMED(PIECES) % LANES > 0 && piece >= NAMED(PIECES)) continue;
        bool along = STEP == 1;
        uint quad = along ? piece / (TERMS / 4) : piece % NAMED(QUADS);
        uint term = 4 * (along ? piece % (TERMS / 4) : piece / NAMED(QUADS));
        uint row = NAMED(first) + 4 * quad;
        VALUE4 terms[4];
        [[unroll]] for (uint i = 0; i < 4; i++) {
            if (READ == BY_DEPTH) {
                VALUE run[4] = NAMED(run)(NAMED(row)(NAMED(base), row + i) + min(start + term, last));
                [[unroll]] for (uint j = 0; j < 4; j++) terms[j][i] = run[j];
            } else if (READ == BY_SPAN) {
                VALUE run[4] = NAMED(run)(NAMED(row)(NAMED(base), row) + min(start + term + i, last) * STEP);
                [[unroll]] for (uint j = 0; j < 4; j++) terms[i][j] = run[j];
            } else
                [[unroll]] for (uint j = 0; j < 4; j++) {
                    uint at = NAMED(row)(NAMED(base), row + j) + min(start + term + i, last) * STEP;
                    terms[i][j] = NAMED(element)(at);
                }
        }
        // Past the last term, products are -0.
        [[unroll]] for (uint i = 0; i < 4; i++)
            NAMED(tile)[NAMED(place)(quad, term + i)] =
                start + term + i < push.depth ? terms[i] : VALUE4(SOURCE == 0 ? NOTHING : VALUE(0));
    }
}

// The elements of the tile at one of these terms.
void NAMED(get)(uint term) {
    [[unroll]] for (uint i = 0; i < SPAN; i += 4) {
        VALUE4 four = NAMED(tile)[NAMED(place)(i / 4 * BLOCK + NAMED(own), term)];
        [[unroll]] for (uint j = 0; j < 4; j++) NAMED(values)[i + j][0] = four[j];
    }
}
