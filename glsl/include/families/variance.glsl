// What kernels of means and variances have in common. The includer defines NUMBER_WORDS, the words of a real number;
// VALUE and what else families/reduce.glsl wants; and `divided`, the mean of a sum, by push.size.
// The third source has the means.
#define SOURCES 3
#define BASES src_base, mean_base, dst_base
#define FROM push.src_base, 0u, push.mean_base
#define MAX_RANK 3
#define DST 2
// The last two are numbers.
#define EXTRA uint block, leaves, ends[1], steps[2], size[NUMBER_WORDS], divisor[NUMBER_WORDS];

layout(constant_id = 13) const uint SQUARES = 0;  // what is added: NONE means elements
layout(constant_id = 14) const uint MAKES = 0;    // of a sum: itself, a quotient by `divisor`, or its root
const uint NONE = 0, FROM_GIVEN = 1, FROM_OWN = 2;  // deviations from means in memory, or from the sum by `size`

#define TWICE (SQUARES == FROM_OWN)
#include "families/reduce.glsl"

layout(binding = 1) readonly buffer Means { VALUE means[]; };

VALUE mean;
bool deviates;

VALUE divided(VALUE sum);

void started(PLACE at) {
    deviates = SQUARES == FROM_GIVEN;
    if (deviates) mean = means[at.z];
}

void settle(VALUE sum) {
    mean = divided(sum);
    deviates = true;
}
