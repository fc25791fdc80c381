#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// From LU decompositions, for each matrix: the determinant, its sign, and the logarithm of its magnitude. A member
// takes a matrix. The product is kept as a number between 1 and 2 and a power of two, so it cannot overflow.
#define BASES a_base, pivots_base, dst_base
#define EXTRA uint matrices, rows, row_step, pitch, pivots_pitch;
#include "families/team.glsl"

layout(binding = 0) readonly buffer A { REAL a[]; };
layout(binding = 1) readonly buffer Pivots { uint pivots[]; };
layout(binding = 2) writeonly buffer Dst { REAL dst[]; };

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

// The logarithm of x * 2^exponent, for x from 1 to 2: with s = (x - 1) / (x + 1), that of x is twice the sum of
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

REAL scaled(REAL x, int exponent) {
    int near = clamp(exponent, LEAST_EXPONENT, MOST_EXPONENT);
    return times(times(x, two_to(near)), two_to(clamp(exponent - near, LEAST_EXPONENT, MOST_EXPONENT)));
}

void unit(uint team) {
    for (uint matrix = member; matrix < push.matrices; matrix += members) {
        REAL product = ONE, wild = ONE, sign = ONE;
        int exponent = 0;
        bool zero = false, is_wild = false;
        for (uint k = 0; k < push.rows; k++) {
            REAL x = a[push.a_base + matrix * push.pitch + k * (push.row_step + 1)];
            bool turned = is_negative(x) != (pivots[push.pivots_base + matrix * push.pivots_pitch + k] != k);
            sign = turned ? negative(sign) : sign;
            x = magnitude(x);
            zero = zero || is_zero(x);
            if (!is_finite(x)) {
                wild = times(wild, x);
                is_wild = true;
            } else if (!is_zero(x)) {
                if (exponent_of(x) < LEAST_EXPONENT) {
                    x = times(x, two_to(64));
                    exponent -= 64;
                }
                exponent += exponent_of(x);
                product = times(product, fraction_of(x));
                if (!less(product, TWO)) {
                    product = times(product, HALF);
                    exponent++;
                }
            }
        }
        REAL size = is_wild ? wild : zero ? ZERO : scaled(product, exponent);
        REAL log_size = is_wild ? wild : zero ? negative(INFINITE) : logarithm(product, exponent);
        uint to = push.dst_base + 3 * matrix;
        dst[to] = zero && !is_wild ? ZERO : is_nan(wild) ? wild : times(sign, size);
        dst[to + 1] = zero && !is_wild ? ZERO : is_nan(wild) ? wild : sign;
        dst[to + 2] = log_size;
    }
}

void main() { run(); }
