// The state of the QR iterations of a matrix, in words, and after it the runs of rotations of one launch: for each the
// number of its first rotation, and the row of it. A run's rotations are of the rows `row` and `row + 1`, then of the
// next two, and so on.
#define MODE 0
#define HIGH 1
#define LOW 2
#define AT 3
#define SWEEPS 4
#define COUNT 5  // of the rotations
#define X 6
#define Z 8
#define LEAST 10
#define SPLIT 12
#define RUNS 13  // how many there are
#define RUN_LIST 14
#ifdef BIDIAGONAL
#define COLUMNS 4  // rows of numbers for each matrix
#define SLOTS 4    // numbers for each rotation: of the right side, and then of the left
#else
#define COLUMNS 3
#define SLOTS 2
#endif
