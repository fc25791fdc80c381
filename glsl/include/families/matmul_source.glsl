// One source of a tile: SPAN rows or columns along dim DIM, and DEEP elements of each along the depth. The
// includer defines these, its number SOURCE, SOURCE_TYPE, the way to read it READ, the step along its depth
// STEP, and NAMED, which prefixes its names.
#include "families/matmul_element.glsl"

#ifdef TEAM
VALUE NAMED(values)[SPAN][1];
#else
VALUE NAMED(values)[SPAN][DEEP];
#endif

// Rows past the end read the last one again.
uint NAMED(row)(uint base, uint at) {
    uint last = sizes[DIM] - (READ == BY_SPAN ? 4 : 1);
    return base + (RAGGED ? min(at, last) : at) * strides[DIM][SOURCE];
}

#include "families/matmul_run.glsl"

#ifdef SHARED_SOURCE
// All lanes of a group have the same rows. A CPU would read them once for each lane, so each lane reads some
// pieces, of one or four elements, and all get the elements from it. Pieces are numbered along the rows first.
const uint NAMED(PIECE) = READ == BY_ELEMENTS ? 1 : 4;
const uint NAMED(ACROSS) = READ == BY_SPAN ? SPAN / 4 : SPAN;  // pieces
const uint NAMED(PIECES) = (SPAN * DEEP + NAMED(PIECE) - 1) / NAMED(PIECE);
const uint NAMED(OWN) = (NAMED(PIECES) + LANES - 1) / LANES;  // of a lane

uint NAMED(starts)[NAMED(OWN)];
VALUE NAMED(pieces)[NAMED(OWN)][4];

// Lanes without a piece read the last one again.
uint NAMED(piece)(uint own) {
    return min(own * LANES + gl_SubgroupInvocationID, NAMED(PIECES) - 1);
}

// Where the own pieces are, of rows from `first` on and the first DEEP elements.
void NAMED(start)(uint base, uint first) {
    [[unroll]] for (uint own = 0; own < NAMED(OWN); own++) {
        uint piece = NAMED(piece)(own);
        uint row = piece % NAMED(ACROSS) * (READ == BY_SPAN ? 4 : 1);
        NAMED(starts)[own] = NAMED(row)(base, first + row) + piece / NAMED(ACROSS) * STEP;
    }
}

// The next DEEP elements.
void NAMED(load)() {
    [[unroll]] for (uint own = 0; own < NAMED(OWN); own++) {
        if (READ == BY_ELEMENTS)
            NAMED(pieces)[own][0] = NAMED(element)(NAMED(starts)[own]);
        else
            NAMED(pieces)[own] = NAMED(run)(NAMED(starts)[own]);
        NAMED(starts)[own] += DEEP * STEP;
    }
    [[unroll]] for (uint i = 0; i < SPAN; i++)
        [[unroll]] for (uint j = 0; j < DEEP; j++) {
            uint piece = i / (SPAN / NAMED(ACROSS)) + (READ == BY_DEPTH ? 0 : j * NAMED(ACROSS));
            uint place = READ == BY_DEPTH ? j : READ == BY_SPAN ? i % 4 : 0;
            NAMED(values)[i][j] = subgroupShuffle(NAMED(pieces)[piece / LANES][place], piece % LANES);
        }
}
#elif defined TEAM
#include "families/matmul_team.glsl"
#else
uint NAMED(starts)[SPAN];
VALUE NAMED(quad)[4];

void NAMED(start)(uint base, uint first) {
    [[unroll]] for (uint i = 0; i < SPAN; i++) NAMED(starts)[i] = NAMED(row)(base, first + i);
}

// The next DEEP elements. Addresses advance, since those that are computed anew take a CPU longer to load from.
void NAMED(load)() {
    [[unroll]] for (uint j = 0; j < DEEP; j++)
        [[unroll]] for (uint i = 0; i < SPAN; i++) {
            if (READ == BY_DEPTH) {
                if (j == 0) {
                    NAMED(quad) = NAMED(run)(NAMED(starts)[i]);
                    [[unroll]] for (uint next = 0; next < DEEP; next++) NAMED(values)[i][next] = NAMED(quad)[next];
                }
            } else if (READ == ALL_ONES)
                NAMED(values)[i][j] = VALUE(1);
            else if (READ == BY_ELEMENTS)
                NAMED(values)[i][j] = NAMED(element)(NAMED(starts)[i]);
            else if (i % 4 == 0) {
                NAMED(quad) = NAMED(run)(NAMED(starts)[i]);
                [[unroll]] for (uint next = 0; next < 4; next++)
                    NAMED(values)[i + next][j] = NAMED(quad)[next];
            }
            NAMED(starts)[i] += STEP;
        }
}
#endif
#undef SOURCE
#undef SOURCE_TYPE
#undef SPAN
#undef DIM
#undef READ
#undef STEP
#undef NAMED
#undef SHARED_SOURCE
#undef BLOCK
