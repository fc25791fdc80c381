// The mean of a row, and the sum of squared deviations from it; or 0, and the sum of squares or magnitudes. A
// value is (number of elements, mean, sum). Leaves of the tree are chunks of 16 elements. The includer defines
// the constants OP, GAPS and EPS, the bits of a number that is added to a variance.
#include "math/divide.glsl"
#include "math/tree.glsl"

vec3 identity() { return vec3(0.0); }

float closer(float n, float guess) {
    precise float missing = 1.0 - n * guess;
    precise float better = guess + guess * missing;
    return better;
}

// 1 / n for 1 <= n < 2^32, to a few units in the last place: by Newton's method, since drivers' quotients
// differ, and exact ones take longer.
float inverse(float n) {
    float guess = uintBitsToFloat(0x7ef311c7u - floatBitsToUint(n));
    return closer(n, closer(n, closer(n, guess)));
}

vec3 combine(vec3 left, vec3 right) {
    precise float n = left.x + right.x;
    precise float share = right.x * inverse(n);
    float half_of_all = 0.5;
    share = left.x == right.x ? half_of_all : share;
    precise float apart = right.y - left.y;
    precise float mean = left.y + apart * share;
    precise float between = apart * apart * (left.x * share);
    precise float squares = (left.z + right.z) + between;
    bool all_left = right.x == 0.0;
    return vec3(n, all_left ? left.y : mean, all_left ? left.z : squares);
}

// The same for as many elements on both sides.
vec3 combine_same(vec3 left, vec3 right) {
    float half_of_all = 0.5;
    precise float n = left.x + right.x;
    precise float apart = right.y - left.y;
    precise float mean = left.y + apart * half_of_all;
    precise float between = apart * apart * (left.x * half_of_all);
    precise float squares = (left.z + right.z) + between;
    return vec3(n, mean, squares);
}

vec3 value_of_chunk(float elements[16], uint there) {
    float terms[16], zero = 0.0, n = float(there), sixteenth = 0.0625;
    // Differences from the first element: of equal ones, the mean is exact.
    [[unroll]] for (uint k = 0; k < 16; k++) {
        precise float apart = elements[k] - elements[0];
        terms[k] = GAPS && k >= there ? zero : apart;
    }
    float each = inverse(n);
    each = there == 16 ? sixteenth : each;
    precise float mean = elements[0] + tree_sum(terms) * each;
    bool from_zero = OP == REDUCE_SQUARES || OP == REDUCE_NORM_1 || OP == REDUCE_NORM_2;
    mean = from_zero ? zero : mean;
    [[unroll]] for (uint k = 0; k < 16; k++) {
        precise float away = elements[k] - mean;
        precise float term = away * away;
        term = OP == REDUCE_NORM_1 ? uintBitsToFloat(floatBitsToUint(away) & ~FLOAT_SIGN) : term;
        terms[k] = GAPS && k >= there ? zero : term;
    }
    return vec3(n, mean, tree_sum(terms));
}

// 1 / n, or 1 / eps for a smaller n.
vec2 norm_of(float n) {
    uint bits = floatBitsToUint(n) & ~FLOAT_SIGN;
    return vec2(0.0, float_reciprocal(uintBitsToFloat(max(bits, EPS))));
}

vec2 moments_of(vec3 value) { return vec2(value.y, float_divide(value.z, value.x)); }

vec2 scaled_of(vec2 moments) {
    precise float variance = moments.y + uintBitsToFloat(EPS);
    return vec2(moments.x, float_rsqrt(variance));
}

// What elements need to be normalised.
vec2 pair_of_row(vec3 value) {
    if (OP == REDUCE_MEANS) return vec2(value.y, 1.0);
    if (OP == REDUCE_NORM_1) return norm_of(value.z);
    if (OP == REDUCE_NORM_2) return norm_of(float_sqrt(value.z));
    return scaled_of(moments_of(value));
}
