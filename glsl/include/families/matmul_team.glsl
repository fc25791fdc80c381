// One source of a block of tiles that a workgroup does together: TERMS of each of BLOCK times SPAN rows or columns
// are in shared memory, four rows as a quad. Tiles that are neighbours read neighbouring quads. Each invocation reads
// some pieces of four elements of the next terms into registers while those in shared memory are added, so that
// loads take no time of their own. The includer defines BLOCK, TERMS and VALUE4 beside what matmul_source.glsl
// needs. LANES divides the number of pieces, and QUADS is a power of two of at least eight.
const uint NAMED(QUADS) = SPAN * BLOCK / 4;  // at one term
const uint NAMED(PIECES) = NAMED(QUADS) * TERMS;
const uint NAMED(OWN) = (NAMED(PIECES) + LANES - 1) / LANES;  // of an invocation

shared VALUE4 NAMED(tile)[NAMED(PIECES)];
VALUE4 NAMED(pieces)[NAMED(OWN)];
uint NAMED(base), NAMED(first);  // of the block
uint NAMED(own);                 // the first quad of the tile
uint NAMED(next);                // term to read

// Whether a piece is four terms of a row, and neighbours read along the depth, or four rows at a term.
bool NAMED(along)() { return READ == BY_DEPTH || READ == BY_ELEMENTS && STEP == 1; }

// The first row and term of a piece.
uvec2 NAMED(corner)(uint own) {
    uint piece = own * LANES + NUMBER;
    if (NAMED(along)()) return uvec2(piece / (TERMS / 4), piece % (TERMS / 4) * 4);
    return uvec2(piece % NAMED(QUADS) * 4, piece / NAMED(QUADS));
}

// Quads of other terms are shifted, so that invocations that write four terms of a row do not meet in one bank.
uint NAMED(place)(uint quad, uint term) {
    return term * NAMED(QUADS) + (quad ^ term / 4 * (32 / TERMS));
}

// Fetch the next TERMS, if there are any. Past the last term, products are -0.
void NAMED(fetch)() {
    uint start = NAMED(next), last = push.depth - (READ == BY_DEPTH ? 4 : 1);
    if (start >= push.depth) return;
    NAMED(next) += TERMS;
    const VALUE none = SOURCE == 0 ? NOTHING : VALUE(0);
    [[unroll]] for (uint own = 0; own < NAMED(OWN); own++) {
        uvec2 corner = NAMED(corner)(own);
        uint row = NAMED(first) + corner.x, term = start + corner.y;
        if (READ == BY_ELEMENTS) {
            uvec2 step = NAMED(along)() ? uvec2(0, 1) : uvec2(1, 0);
            [[unroll]] for (uint i = 0; i < 4; i++) {
                uint at = NAMED(row)(NAMED(base), row + i * step.x) + min(term + i * step.y, last) * STEP;
                VALUE value = NAMED(element)(at);
                NAMED(pieces)[own][i] = term + i * step.y < push.depth ? value : none;
            }
        } else {
            VALUE run[4] = NAMED(run)(NAMED(row)(NAMED(base), row) + min(term, last) * STEP);
            [[unroll]] for (uint i = 0; i < 4; i++) NAMED(pieces)[own][i] = term < push.depth ? run[i] : none;
        }
    }
}

void NAMED(start)(uint base, uint first) {
    NAMED(own) = first / 4 % BLOCK;
    NAMED(base) = base;
    NAMED(first) = first - 4 * NAMED(own);
    NAMED(next) = 0;
    NAMED(fetch)();
}

// Put what was fetched into shared memory.
void NAMED(load)() {
    [[unroll]] for (uint own = 0; own < NAMED(OWN); own++) {
        uvec2 corner = NAMED(corner)(own);
        uint quad = corner.x / 4;
        if (NAMED(along)())
            [[unroll]] for (uint i = 0; i < 4; i++)
                NAMED(tile)[NAMED(place)(quad, corner.y + i)][corner.x % 4] = NAMED(pieces)[own][i];
        else
            NAMED(tile)[NAMED(place)(quad, corner.y)] = NAMED(pieces)[own];
    }
}

// The elements of the tile at one of these terms.
void NAMED(get)(uint term) {
    [[unroll]] for (uint i = 0; i < SPAN; i += 4) {
        VALUE4 four = NAMED(tile)[NAMED(place)(i / 4 * BLOCK + NAMED(own), term)];
        [[unroll]] for (uint j = 0; j < 4; j++) NAMED(values)[i + j][0] = four[j];
    }
}
