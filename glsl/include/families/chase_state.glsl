// The state of the QR iterations of a matrix, in words, and after it the places of the rotations of one launch: each is
// of the rows `place` and `place + 1`.
#define MODE 0
#define HIGH 1
#define LOW 2
#define AT 3
#define SWEEPS 4
#define COUNT 5  // of the rotations
#define X 6
#define Z 8
#define LEAST_DIAGONAL 10
#define PLACES 12
#ifdef BIDIAGONAL
#define COLUMNS 4  // rows of numbers for each matrix
#define SLOTS 4    // numbers for each rotation: of the right side, and then of the left
#else
#define COLUMNS 3
#define SLOTS 2
#endif
