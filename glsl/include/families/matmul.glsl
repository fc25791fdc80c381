// Matrix products. Dims are those of dst; a source has stride 0 along those that it lacks. Each sum
// is over `depth` products, whose factors are a step apart in either source.
//
// The order of additions is the same on every path: runs of RUN_OF_SUM terms are added from their
// first to their last, runs of as many such sums likewise, and so on. A plan goes two levels deep. Of more,
// each plan adds its sums to those of the terms before it, or parts are summed apart, and then their sums.
#define SOURCES 2
#define BASES a_base, b_base, dst_base
#define FROM push.a_base, push.b_base
#define MAX_RANK 5
#define EXTRA uint depth, a_step, b_step;
#define DST 2
#define RUN_OF_SUM 64
#include "index/index.glsl"
