// Panels of columns that are reduced before the rest of the matrix gets their reflections. Scratch has lines of `pitch`
// numbers for each matrix: the vectors of a panel, in sets, and what is needed for a step. Of a tridiagonal panel,
// what the matrix still lacks is V W^H + W V^H, and of a bidiagonal one U Y^H + X P^H, with U and P the vectors of
// reflections from the left and from the right. A row's step is that of a column, of the adjoint.
#define BLOCK 32
#ifdef BIDIAGONAL
#define U 0u
#define X (1u * BLOCK)
#define Y (2u * BLOCK)
#define P (3u * BLOCK)
#define SETS (4u * BLOCK)
#define NUMBERS 4  // lines of Dst for each matrix
// The first row of a column's reflection.
#define FIRST (push.k + push.right)
#else
#define U 0u
#define X (1u * BLOCK)
#define Y X
#define P U
#define SETS (2u * BLOCK)
#define NUMBERS 3
#define FIRST (push.k + 1u)
#endif
#define OWN_SET (push.right == 0u ? U : Y)
#define OWN_OTHER_SET (push.right == 0u ? X : P)
#define CROSS_SET (push.right == 0u ? Y : U)
#define CROSS_OTHER_SET (push.right == 0u ? P : X)
#define VECTOR (push.i + (push.right == 0u ? U : P))
#define RAW SETS             // the vector w before its last step
#define DOTS (SETS + 1u)     // two lines of products of vectors, by runs
#define PARTIAL (SETS + 3u)  // products with the matrix, a line for each run
#define RUN 64u              // terms of a sum that are added one after the other; runs start at multiples
#define LINE(line, i) scratch[lines + (line) * push.pitch + (i)]
