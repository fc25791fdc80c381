#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Products computed with 64 bits: one sum for each element of dst, or two at once for neighbours.
#ifdef FLOAT
#include "types/double_values.glsl"
#include "math/double.glsl"
#else
#include "types/long_values.glsl"
#endif
#include "families/matmul.glsl"
#define T uvec2
#define WORDS 2
#include "index/words.glsl"

layout(constant_id = 10) const bool ONES = false;  // A is not read: every element is 1
layout(constant_id = 11) const uint A_TYPE = FLOAT64;
layout(constant_id = 12) const uint B_TYPE = FLOAT64;
layout(constant_id = 13) const bool MORE = false;  // add to dst, which has the sums of the terms before

layout(binding = DST_BINDING) readonly buffer Before { uvec2 before[]; };

#define SOURCE 0
#define SOURCE_TYPE A_TYPE
#define NAMED(name) a_##name
#include "families/matmul_element.glsl"
#undef SOURCE
#undef SOURCE_TYPE
#undef NAMED
#define SOURCE 1
#define SOURCE_TYPE B_TYPE
#define NAMED(name) b_##name
#include "families/matmul_element.glsl"

// Elements of 64 bits are read whole.
layout(binding = 0) readonly buffer APairs { uvec2 a_pairs[]; };
layout(binding = 1) readonly buffer BPairs { uvec2 b_pairs[]; };
uvec2 a_value(uint at) {
    if (bits_of(A_TYPE) == 64) return decode(a_pairs[at], A_TYPE);
    return a_element(at);
}
uvec2 b_value(uint at) {
    if (bits_of(B_TYPE) == 64) return decode(b_pairs[at], B_TYPE);
    return b_element(at);
}

#ifdef FLOAT
#define NOTHING uvec2(0u, 0x80000000u)  // -0: adding it changes no number, not even +0 or -0
uvec2 plus(uvec2 a, uvec2 b) { return double_add(a, b); }
uvec2 times(uvec2 a, uvec2 b) { return double_multiply(a, b); }
#else
#define NOTHING uvec2(0u)
uvec2 plus(uvec2 a, uvec2 b) { return long_add(a, b); }
uvec2 times(uvec2 a, uvec2 b) { return long_multiply(a, b); }
#endif

// The sums at `at`, and those at `beside` if `both`. SUM is a type, IN and PLUS and TIMES are for it.
#define SUMS(SUM, IN, PLUS, TIMES)                                                                   \
    SUM sum = IN(NOTHING), other = sum;                                                              \
    for (uint start = 0; start < push.depth; start += RUN_OF_SUM) {                                  \
        SUM run = IN(NOTHING), other_run = run;                                                      \
        for (uint k = start; k < min(start + RUN_OF_SUM, push.depth); k++) {                         \
            uint a_at = k * push.a_step, b_at = k * push.b_step;                                     \
            SUM b = IN(b_value(at.y + b_at)), next = b;                                              \
            if (both && step_of(1) != 0) next = IN(b_value(beside.y + b_at));                        \
            if (!ONES) {                                                                             \
                SUM a = IN(a_value(at.x + a_at)), other_a = a;                                       \
                if (both && step_of(0) != 0) other_a = IN(a_value(beside.x + a_at));                 \
                b = TIMES(a, b);                                                                     \
                if (both) next = TIMES(other_a, next);                                               \
            }                                                                                        \
            run = PLUS(run, b);                                                                      \
            if (both) other_run = PLUS(other_run, next);                                             \
        }                                                                                            \
        sum = PLUS(sum, run);                                                                        \
        if (both) other = PLUS(other, other_run);                                                    \
    }

#if defined(FLOAT) && defined(NATIVE_SPEC)
double natively_plus(double a, double b) {
    precise double sum = a + b;
    return sum;
}
double natively_times(double a, double b) {
    precise double product = a * b;
    return product;
}
#endif

uvec4 sums(PLACE at, PLACE beside, bool both) {
#if defined(FLOAT) && defined(NATIVE_SPEC)
    // NaN only needs its bits in the end.
    if ((NATIVE & (NATIVE_ADD | NATIVE_MULTIPLY)) == (NATIVE_ADD | NATIVE_MULTIPLY)) {
        SUMS(double, NUMBER, natively_plus, natively_times)
        return uvec4(native_words(sum), native_words(other));
    }
#endif
    SUMS(uvec2, uvec2, plus, times)
    return uvec4(sum, other);
}

void start_row(PLACE at) {}

uvec4 make_quad(PLACE at) {
    PLACE beside = at + row_step();
    uvec4 quad = sums(at, beside, true);
    if (MORE) quad = uvec4(plus(before[at.z], quad.xy), plus(before[beside.z], quad.zw));
    return quad;
}

uvec2 make(PLACE at) {
    uvec2 sum = sums(at, at, false).xy;
    if (MORE) sum = plus(before[at.z], sum);
    return sum;
}

void main() { run(); }
