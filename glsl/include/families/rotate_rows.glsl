// The rotations of a launch, on the rows of a matrix. The includer defines NUMBERS, what a member keeps of a cell, FACTOR,
// the type of cosines and sines, how both are made, and NAMED, which prefixes the name.
void NAMED(rotate_rows)(uint matrix) {
    uint state = push.states_base + matrix * push.state_pitch, runs = states[state + RUNS], apart = push.cells / CELLS;
    uint from = push.rotations_base + matrix * push.rotations_pitch + push.side;
    for (uint j = member; j < apart; j += members) {
        uint base = push.a_base + matrix * push.pitch + j;
        for (uint run = 0; run < runs;) {
            // Of each run: its first row, the number of its rotations, and where they are. The rows of runs that
            // go together touch.
            uint start[MOST_AT_ONCE], many[MOST_AT_ONCE], place[MOST_AT_ONCE], low = 0, high = 0;
            bool joins = true;
            [[unroll]] for (uint s = 0; s < AT_ONCE; s++) {
                joins = joins && run < runs;
                uint list = state + RUN_LIST + 2 * min(run, runs - 1);
                uint first = states[list], next = run + 1 < runs ? states[list + 2] : states[state + COUNT];
                uint row = states[list + 1], last = row + next - first;
                joins = joins && (s == 0 || row <= high + 1 && low <= last + 1);
                start[s] = row;
                many[s] = joins ? next - first : 0;
                place[s] = from + first * push.sides;
                if (joins) {
                    low = s == 0 ? row : min(low, row);
                    high = max(high, last);
                    run++;
                }
            }
            // Rows `row` + 1 - AT_ONCE to `row` + 1.
            NUMBERS held[MOST_CELLS * HELD];
            EACH(c) {
                CELL cell = a[base + c * apart + low * push.row_step];
                held[c * HELD + AT_ONCE - 1] = NUMBERS_OF(cell);
            }
            for (uint row = low; row < high + AT_ONCE; row++) {
                if (row < high)
                    EACH(c) {
                        CELL cell = a[base + c * apart + (row + 1) * push.row_step];
                        held[c * HELD + AT_ONCE] = NUMBERS_OF(cell);
                    }
                [[unroll]] for (uint s = 0; s < AT_ONCE; s++) {
                    uint own = row - s - start[s];
                    if (own < many[s]) {
                        PAIR pair = rotations[place[s] + own * push.sides];
                        FACTOR cosine = FACTOR_OF(COSINE(pair)), sine = FACTOR_OF(SINE(pair));
                        EACH(c) {
                            uint at = c * HELD + AT_ONCE - 1 - s;
                            NUMBERS one = held[at], next = held[at + 1];
                            held[at] = plus(times(cosine, one), times(sine, next));
                            held[at + 1] = minus(times(cosine, next), times(sine, one));
                        }
                    }
                }
                if (row >= low + AT_ONCE - 1)
                    EACH(c) a[base + c * apart + (row + 1 - AT_ONCE) * push.row_step] = CELL_OF(held[c * HELD]);
                EACH(c)
                    [[unroll]] for (uint k = 0; k < AT_ONCE; k++) held[c * HELD + k] = held[c * HELD + k + 1];
            }
        }
    }
}
