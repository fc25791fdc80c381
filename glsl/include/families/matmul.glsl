// Matrix products. Dims are those of dst; a source has stride 0 along dims that it lacks. Each sum has
// `depth` products; their factors are a_step and b_step apart in the sources.
//
// The order of additions is the same in every variant: runs of RUN_OF_SUM terms are added from first to
// last, then runs of as many such sums, and so on. A plan has two levels. For more levels, either each plan
// adds its sums to those of the terms before, or parts are summed separately, and then their sums.
#define SOURCES 2
#ifdef EPILOGUE
#define BASES a_base, b_base, bias_base, dst_base
#define DST_BINDING 3
#else
#define BASES a_base, b_base, dst_base
#define DST_BINDING 2
#endif
#define FROM push.a_base, push.b_base
#define MAX_RANK 5
#define EXTRA uint depth, a_step, b_step;
#define DST 2
#define RUN_OF_SUM 64
#include "index/index.glsl"
