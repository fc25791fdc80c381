#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// From LU decompositions, for each matrix: the determinant, its sign, and the logarithm of its magnitude. A member
// takes a matrix. The product is kept as a number whose larger part is from 1 to 2 and a power of two, so it cannot overflow.
#define BASES a_base, pivots_base, dst_base
#define EXTRA uint matrices, rows, row_step, pitch, pivots_pitch;
#include "families/team.glsl"

layout(binding = 0) readonly buffer A { SCALAR a[]; };
layout(binding = 1) readonly buffer Pivots { uint pivots[]; };
layout(binding = 2) writeonly buffer Dst { SCALAR dst[]; };

#ifdef DOUBLE
#define TWO uvec2(0u, 0x40000000u)
#define ROOT_OF_TWO uvec2(0x667F3BCDu, 0x3FF6A09Eu)
#define LAST_ODD uvec2(0u, 0x40390000u)  // 25
#define LOG_TWO uvec2(0xFEE00000u, 0x3FE62E42u)
#define LOG_TWO_REST uvec2(0x35793C76u, 0x3DEA39EFu)
#define INFINITE DOUBLE_INFINITY
const uint TERMS = 13;
REAL real_of(int n) {
    return n == 0 ? ZERO : double_pack(n < 0 ? DOUBLE_SIGN : 0u, 1086, uvec2(uint(abs(n)), 0u));
}
#else
#define TWO 2.0
#define ROOT_OF_TWO 1.41421354
#define LAST_ODD 13.0
#define LOG_TWO 0.693359375
#define LOG_TWO_REST -2.12194440e-4
#define INFINITE uintBitsToFloat(FLOAT_INFINITY)
const uint TERMS = 7;
REAL real_of(int n) { return float(n); }
#endif

// The logarithm of x * 2^exponent, for x from 1 to twice the root of 2: with s = (x - 1) / (x + 1), that of x is twice the sum of
// s^k / k for odd k.
REAL logarithm(REAL x, int exponent) {
    if (less(ROOT_OF_TWO, x)) {
        x = times(x, HALF);
        exponent++;
    }
    REAL s = over(minus(x, ONE), plus(x, ONE)), square = times(s, s), sum = ZERO, odd = LAST_ODD;
    for (uint k = 0; k < TERMS; k++) {
        sum = plus(over(ONE, odd), times(square, sum));
        odd = minus(odd, TWO);
    }
    REAL e = real_of(exponent);
    return plus(times(e, LOG_TWO), plus(times(times(TWO, s), sum), times(e, LOG_TWO_REST)));
}

SCALAR scaled(SCALAR x, int exponent) {
    int near = clamp(exponent, LEAST_EXPONENT, MOST_EXPONENT);
    return times(times(x, two_to(near)), two_to(clamp(exponent - near, LEAST_EXPONENT, MOST_EXPONENT)));
}

// The size of a number whose square does not overflow, and a number of size 1 with the same direction.
#ifdef COMPLEX
REAL modulus(SCALAR x) { return root(real_part(times(x, conjugate(x)))); }
SCALAR direction(SCALAR x) { return over(x, modulus(x)); }
#else
REAL modulus(SCALAR x) { return magnitude(x); }
SCALAR direction(SCALAR x) { return with_sign(ONE, x); }
#endif

void unit(uint team) {
    for (uint matrix = member; matrix < push.matrices; matrix += members) {
        SCALAR product = scalar(ONE);
        REAL wild = ONE;
        int exponent = 0;
        bool zero = false, is_wild = false;
        for (uint k = 0; k < push.rows; k++) {
            SCALAR x = a[push.a_base + matrix * push.pitch + k * (push.row_step + 1)];
            if (pivots[push.pivots_base + matrix * push.pivots_pitch + k] != k) product = negative(product);
            REAL size = largest_part(x);
            zero = zero || is_zero(size);
            if (!is_finite(size)) {
                wild = times(wild, size);
                is_wild = true;
                product = times(product, direction(x));
            } else if (!is_zero(size)) {
                if (exponent_of(size) < LEAST_EXPONENT) {
                    x = times(x, two_to(64));
                    exponent -= 64;
                }
                int own = min(exponent_of(largest_part(x)), -LEAST_EXPONENT);
                product = times(product, times(x, two_to(-own)));
                int more = exponent_of(largest_part(product));
                product = times(product, two_to(-more));
                exponent += own + more;
            }
        }
        SCALAR sign = direction(product), found = is_wild ? times(sign, wild) : scaled(product, exponent);
        REAL log_size = is_wild ? wild : logarithm(modulus(product), exponent);
        if (zero && !is_wild) {
            found = sign = scalar(ZERO);
            log_size = negative(INFINITE);
        } else if (is_nan(wild))
            found = sign = scalar(wild);
        uint to = push.dst_base + 3 * matrix;
        dst[to] = found;
        dst[to + 1] = sign;
        dst[to + 2] = scalar(log_size);
    }
}

void main() { run(); }
