// The largest element m of a row, and the sum s of exp(x - m). A value is (m, s). As in a sum, s is a tree,
// but its leaves are chunks of 16 elements, and nodes are scaled to the larger m before they are added. The
// includer defines the constants OP and GAPS.
#include "math/exp.glsl"
#include "math/log.glsl"
#include "math/tree.glsl"

vec2 identity() { return vec2(uintBitsToFloat(FLOAT_SIGN | FLOAT_INFINITY), 0.0); }

// By their bits, in the order of the numbers; NaN is the largest.
float larger(float a, float b) {
    int x = floatBitsToInt(a), y = floatBitsToInt(b), magnitude = 0x7fffffff;
    int p = (x & magnitude) > int(FLOAT_INFINITY) ? magnitude : x ^ (x >> 31 & magnitude);
    int q = (y & magnitude) > int(FLOAT_INFINITY) ? magnitude : y ^ (y >> 31 & magnitude);
    int found = p > q ? x : y;
    return intBitsToFloat(found);
}

// What is subtracted before exp: where all elements are -infinity, the difference would be NaN.
float pivot(float most) {
    float zero = 0.0;
    return floatBitsToUint(most) == (FLOAT_SIGN | FLOAT_INFINITY) ? zero : most;
}

vec2 combine(vec2 left, vec2 right) {
    float most = larger(left.x, right.x);
    float from = pivot(most);
    bool scales_left = floatBitsToUint(most) == floatBitsToUint(right.x);
    float less = scales_left ? left.x : right.x;
    precise float scale = less - from;
    scale = float_exp_below(scale);
    float kept = scales_left ? right.y : left.y, scaled = scales_left ? left.y : right.y;
    precise float sum = kept + scaled * scale;
    return vec2(most, sum);
}

// Without regard to NaN. Which of two zeros it is makes no difference.
float most_of(float a, float b) { return a < b ? b : a; }

vec2 value_of_chunk(float elements[16], uint there) {
    float terms[16], eight[8], four[4], none = uintBitsToFloat(FLOAT_SIGN | FLOAT_INFINITY);
    [[unroll]] for (uint k = 0; k < 16; k++) elements[k] = GAPS && k >= there ? none : elements[k];
    [[unroll]] for (uint k = 0; k < 8; k++) eight[k] = most_of(elements[k], elements[k + 8]);
    [[unroll]] for (uint k = 0; k < 4; k++) four[k] = most_of(eight[k], eight[k + 4]);
    float most = most_of(most_of(four[0], four[1]), most_of(four[2], four[3])), from = pivot(most);
    uint magnitude = 0;
    [[unroll]] for (uint k = 0; k < 16; k++) magnitude = max(magnitude, floatBitsToUint(elements[k]) & ~FLOAT_SIGN);
    most = unless_nan(most, magnitude);
    [[unroll]] for (uint k = 0; k < 16; k++) {
        precise float difference = elements[k] - from;
        terms[k] = float_exp_below(difference);
    }
    return vec2(most, tree_sum(terms));
}

// What the elements need: the reciprocal of s, or its logarithm. The sum is anything where m is infinite or NaN.
vec2 pair_of_row(vec2 value) {
    float wanted = OP == REDUCE_LOG_SUM ? float_log(value.y) : float_reciprocal(value.y);
    uint bits = floatBitsToUint(wanted);
    // Then the elements become 0.
    if (OP == REDUCE_WEIGHTS && floatBitsToUint(value.x) == (FLOAT_SIGN | FLOAT_INFINITY))
        return vec2(uintBitsToFloat(FLOAT_SIGN | FLOAT_INFINITY - 1), 0.0);
    bool finite = (floatBitsToUint(value.x) & FLOAT_INFINITY) != FLOAT_INFINITY;
    return vec2(value.x, uintBitsToFloat(finite ? bits : FLOAT_NAN));
}
