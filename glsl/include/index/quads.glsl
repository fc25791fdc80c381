// How quads of dst are written, by DST_QUADS: 0, never at once; 1, those of a unit lie side by side, as a CPU walks
// through memory. With the others, those of all units lie side by side, so that neighbouring invocations of a GPU
// access neighbouring memory, and those of a unit are as far apart as there are whole units: APART, quads of a single
// row; ROWS_APART, quads of rows, which consist of quads; ELEMENTS_APART, elements of any dims in place of quads.
#define APART 2
#define ROWS_APART 3
#define ELEMENTS_APART 4
#define MOST_APART 4  // quads or elements of a unit
