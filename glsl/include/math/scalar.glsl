// Scalars of decompositions: real numbers, or complex ones if COMPLEX is defined, as the real part and then the imaginary
// part. A complex number with the imaginary part 0 takes the same steps as a real one, beside sums and products of
// zeros, so it has the same bits.
#ifndef SCALAR_HEAD
#define SCALAR_HEAD
#include "math/real.glsl"
#ifdef COMPLEX
#ifdef DOUBLE
#define SCALAR uvec4
REAL real_part(SCALAR a) { return a.xy; }
REAL imaginary_part(SCALAR a) { return a.zw; }
#else
#define SCALAR vec2
REAL real_part(SCALAR a) { return a.x; }
REAL imaginary_part(SCALAR a) { return a.y; }
#endif
SCALAR scalar(REAL a) { return SCALAR(a, ZERO); }
SCALAR conjugate(SCALAR a) { return SCALAR(real_part(a), negative(imaginary_part(a))); }
SCALAR negative(SCALAR a) { return SCALAR(negative(real_part(a)), negative(imaginary_part(a))); }
SCALAR plus(SCALAR a, SCALAR b) {
    return SCALAR(plus(real_part(a), real_part(b)), plus(imaginary_part(a), imaginary_part(b)));
}
SCALAR minus(SCALAR a, SCALAR b) {
    return SCALAR(minus(real_part(a), real_part(b)), minus(imaginary_part(a), imaginary_part(b)));
}
SCALAR times(SCALAR a, REAL b) { return SCALAR(times(real_part(a), b), times(imaginary_part(a), b)); }
SCALAR times(SCALAR a, SCALAR b) {
    SCALAR straight = times(b, real_part(a)), cross = times(b, imaginary_part(a));
    return SCALAR(minus(real_part(straight), imaginary_part(cross)),
                  plus(imaginary_part(straight), real_part(cross)));
}
SCALAR over(SCALAR a, REAL b) { return SCALAR(over(real_part(a), b), over(imaginary_part(a), b)); }
bool is_zero(SCALAR a) { return is_zero(real_part(a)) && is_zero(imaginary_part(a)); }
SCALAR minus_product(SCALAR a, SCALAR b, SCALAR c) { return minus(a, times(b, c)); }

// The larger one of the magnitudes of the parts.
REAL largest_part(SCALAR a) {
    REAL one = magnitude(real_part(a)), other = magnitude(imaginary_part(a));
    return beyond(other, one) ? other : one;
}

// Smith's quotient, whose error is a few roundings of its magnitude, and which needs no squares. Both numbers are
// turned so that the real part of b is the larger one.
SCALAR over(SCALAR a, SCALAR b) {
    if (beyond(magnitude(imaginary_part(b)), magnitude(real_part(b)))) {
        a = SCALAR(imaginary_part(a), negative(real_part(a)));
        b = SCALAR(imaginary_part(b), negative(real_part(b)));
    }
    REAL ratio = over(imaginary_part(b), real_part(b));
    REAL divisor = plus(real_part(b), times(imaginary_part(b), ratio));
    SCALAR turned = times(SCALAR(imaginary_part(a), negative(real_part(a))), ratio);
    return over(plus(a, turned), divisor);
}
#else
#define SCALAR REAL
REAL real_part(SCALAR a) { return a; }
REAL imaginary_part(SCALAR a) { return ZERO; }
SCALAR scalar(REAL a) { return a; }
SCALAR conjugate(SCALAR a) { return a; }
REAL largest_part(SCALAR a) { return magnitude(a); }
#endif

SCALAR conjugate_if(bool turned, SCALAR a) {
    if (turned) a = conjugate(a);
    return a;
}
#endif
