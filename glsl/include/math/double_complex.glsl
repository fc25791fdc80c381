// Complex numbers as pairs of float64, the real part first. Sums are those of the parts; products are NumPy's;
// quotients are rounded once. Where a part is not finite, C99 decides (annex G): a number with an infinite
// part is infinite, whatever the other part is.
#ifndef DOUBLE_COMPLEX_HEAD
#define DOUBLE_COMPLEX_HEAD
#include "math/exact.glsl"

const uvec4 DOUBLE_COMPLEX_NAN = uvec4(DOUBLE_NAN, DOUBLE_NAN);

uvec4 double_complex_negate(uvec4 a) { return uvec4(double_negate(a.xy), double_negate(a.zw)); }

uvec4 double_complex_conj(uvec4 a) { return uvec4(a.xy, double_negate(a.zw)); }

bool double_complex_is_nan(uvec4 a) { return double_is_nan(a.xy) || double_is_nan(a.zw); }

bool double_complex_is_infinite(uvec4 a) {
    return double_is_infinite(a.xy) || double_is_infinite(a.zw);
}

bool double_complex_is_finite(uvec4 a) { return double_is_finite(a.xy) && double_is_finite(a.zw); }

bool double_complex_is_zero(uvec4 a) { return double_is_zero(a.xy) && double_is_zero(a.zw); }

bool double_complex_equal(uvec4 a, uvec4 b) {
    return double_equal(a.xy, b.xy) && double_equal(a.zw, b.zw);
}

uvec4 double_complex_add(uvec4 a, uvec4 b) {
    return uvec4(double_add(a.xy, b.xy), double_add(a.zw, b.zw));
}

// A product, in which each operation is rounded.
uvec4 double_complex_parts(uvec4 a, uvec4 b) {
    uvec2 real = double_subtract(double_multiply(a.xy, b.xy), double_multiply(a.zw, b.zw));
    uvec2 imag = double_add(double_multiply(a.xy, b.zw), double_multiply(a.zw, b.xy));
    return uvec4(real, imag);
}

// An infinite number as its direction: 1 for infinite parts, otherwise 0, with their signs.
uvec2 double_direction(uvec2 a) {
    return double_copysign(double_is_infinite(a) ? DOUBLE_ONE : uvec2(0u), a);
}

uvec4 double_complex_direction(uvec4 a) {
    return uvec4(double_direction(a.xy), double_direction(a.zw));
}

uvec2 double_unless_nan(uvec2 a) { return double_is_nan(a) ? double_copysign(uvec2(0u), a) : a; }

uvec4 double_complex_unless_nan(uvec4 a) {
    return uvec4(double_unless_nan(a.xy), double_unless_nan(a.zw));
}

uvec2 double_times_infinity(uvec2 a) {
    bool nan = double_is_zero(a) || double_is_nan(a);
    return nan ? DOUBLE_NAN : double_copysign(DOUBLE_INFINITY, a);
}

uvec4 double_complex_times_infinity(uvec4 a) {
    return uvec4(double_times_infinity(a.xy), double_times_infinity(a.zw));
}

uvec4 double_complex_multiply(uvec4 a, uvec4 b) {
    uvec4 product = double_complex_parts(a, b);
    bool far = double_complex_is_infinite(a), other = double_complex_is_infinite(b);
    if (double_is_nan(product.xy) && double_is_nan(product.zw) && (far || other)) {
        a = double_complex_unless_nan(far ? double_complex_direction(a) : a);
        b = double_complex_unless_nan(other ? double_complex_direction(b) : b);
        product = double_complex_times_infinity(double_complex_parts(a, b));
    }
    return product;
}

// Where something is zero, infinite or NaN.
uvec4 double_complex_divide_special(uvec4 a, uvec4 b) {
    // As for real numbers, whatever sign the imaginary part has.
    if (double_complex_is_zero(b))
        return double_complex_times_infinity(double_is_negative(b.xy) ? double_complex_negate(a) : a);
    bool far = double_complex_is_infinite(a), other = double_complex_is_infinite(b);
    if (far == other || !(far ? double_complex_is_finite(b) : double_complex_is_finite(a)))
        return DOUBLE_COMPLEX_NAN;
    a = far ? double_complex_direction(a) : a;
    b = other ? double_complex_direction(b) : b;
    uvec4 turned = double_complex_parts(a, double_complex_conj(b));
    uvec4 zero = uvec4(double_copysign(uvec2(0u), turned.xy), double_copysign(uvec2(0u), turned.zw));
    return far ? double_complex_times_infinity(turned) : zero;
}

uvec4 double_complex_divide(uvec4 a, uvec4 b) {
    Exact size;
    uvec4 quotient;
    // A loop, since three times the code takes drivers three times as long to compile: first the square of
    // the size of b, then the parts of a times the conjugate of b.
    uint k = 0u;
    do {
        uvec2 first = k == 0u ? b.xy : k == 1u ? a.xy : a.zw;
        uvec2 second = k == 0u ? b.zw : k == 1u ? a.zw : double_negate(a.xy);
        Exact sum = exact_sum(exact_product(first, b.xy), exact_product(second, b.zw));
        if (k == 0u) size = sum;
        uvec2 part = exact_quotient(sum, size);
        quotient = k == 1u ? uvec4(part, part) : uvec4(quotient.xy, part);
    } while (++k < 3u);
    bool usual = double_complex_is_finite(a) && double_complex_is_finite(b);
    return usual && !exact_is_zero(size) ? quotient : double_complex_divide_special(a, b);
}
#endif
