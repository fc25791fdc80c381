// How quads of dst are written, by DST_QUADS: 0, never at once; 1, those of a unit lie side by side, as a CPU walks
// through memory; APART, those of all units lie side by side, so that neighbouring invocations of a GPU access
// neighbouring quads. Then there is one row, and the quads of a unit are as far apart as there are whole units.
#define APART 2
#define MOST_APART 4  // quads of a unit
