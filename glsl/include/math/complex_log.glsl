// Roots and logarithms of complex numbers, as pairs of float64, by the rules of math/complex_exp.glsl.
#ifndef COMPLEX_LOG_HEAD
#define COMPLEX_LOG_HEAD
#include "math/complex_exp.glsl"
#include "math/double_arc.glsl"
#include "math/double_log.glsl"

struct Point {
    Extended x, y;
};

// The principal root of a point: its x is not negative, and its y has the sign of the point's.
Point point_sqrt(Point a) {
    Extended square = extended_add(extended_multiply(a.x, a.x), extended_multiply(a.y, a.y));
    Extended sum = extended_add(extended_sqrt(square), extended_abs(a.x));
    Extended large = extended_sqrt(extended_scale(sum, -1));
    Extended small = extended_divide(extended_abs(a.y), extended_scale(large, 1));
    if (long_is_zero(sum.bits)) small = large;
    bool left = a.x.sign != 0u;
    Extended x = extended_select(left, small, large), y = extended_select(left, large, small);
    return Point(x, Extended(y.bits, y.exponent, a.y.sign));
}

uvec4 double_complex_sqrt(uvec4 z) {
    uvec2 x = z.xy, y = z.zw;
    Point root = point_sqrt(Point(extended_of(x), extended_of(y)));
    uvec4 result = complex_of(root.x, root.y);
    if (double_complex_is_zero(z)) result = uvec4(0u, 0u, y);
    if (double_is_infinite(x)) {
        uvec2 none = double_is_nan(y) ? DOUBLE_NAN : uvec2(0u);
        uvec2 imag = double_is_nan(y) ? DOUBLE_NAN : double_copysign(none, y);
        result = double_is_negative(x) ? uvec4(none, double_copysign(DOUBLE_INFINITY, y)) : uvec4(x, imag);
    } else if (double_complex_is_nan(z))
        result = DOUBLE_COMPLEX_NAN;
    return double_is_infinite(y) ? uvec4(DOUBLE_INFINITY, y) : result;
}

// z / |z|, and 0 for 0. Where one part is infinite, that is the direction, whatever the other part is.
uvec4 double_complex_sign(uvec4 z) {
    Extended x = extended_of(z.xy), y = extended_of(z.zw);
    Extended size = extended_sqrt(extended_add(extended_multiply(x, x), extended_multiply(y, y)));
    uvec4 result = complex_of(extended_divide(x, size), extended_divide(y, size));
    result = double_complex_is_zero(z) ? uvec4(0u) : result;
    bool far = double_is_infinite(z.xy), other = double_is_infinite(z.zw);
    if (far != other)
        return far ? uvec4(double_direction(z.xy), 0u, 0u) : uvec4(0u, 0u, double_direction(z.zw));
    return double_complex_is_finite(z) ? result : DOUBLE_COMPLEX_NAN;
}

Extended extended_of_exact(Exact a) {
    return Extended(exact_leading(a), exact_is_zero(a) ? EXTENDED_LEAST : a.exponent, a.sign);
}

const Exact EXACT_LESS_ONE = Exact(uvec4(0u, 0u, 0u, DOUBLE_SIGN), 0, DOUBLE_SIGN);

// Of the logarithm of 1 + d where d is near 0, otherwise of `whole`, which is as much.
Ratio size_ratio(Exact d, Extended whole) {
    Extended rest = extended_of_exact(d);
    bool near = d.exponent < -1 || exact_is_zero(d) || d.exponent == -1 && d.sign == 0u;
    Ratio ratio = log_ratio(extended_select(near, extended_add(EXTENDED_ONE, rest), whole));
    return ratio_select(near && ratio.times == 0, Ratio(rest, extended_add(EXTENDED_TWO, rest), 0), ratio);
}

// From the ratios of the logarithm of a squared size and of an angle, whose sign is that of y.
Point point_of(Ratio size, Ratio angle, uint sign) {
    Point point;
    uint k = 0u;
    [[dont_unroll]] do {
        point.y = tangent_of(k != 0u, ratio_select(k == 0u, size, angle));
        if (k == 0u) point.x = extended_scale(point.y, -1);
    } while (++k < 2u);
    point.y.sign = sign;
    return point;
}

// The logarithm of a finite number other than 0: of the size, whose square is exact, and the angle.
Point point_log(uvec4 z) {
    Exact square = exact_sum(exact_product(z.xy, z.xy), exact_product(z.zw, z.zw));
    Exact above = exact_sum(square, EXACT_LESS_ONE);
    uvec4 unit = double_direction_if_far(z);
    Ratio angle = angle_ratio(extended_of(unit.zw), extended_of(unit.xy));
    return point_of(size_ratio(above, extended_of_exact(square)), angle, z.w & DOUBLE_SIGN);
}

// A logarithm where the number is 0, infinite or NaN.
uvec4 double_complex_log_special(uvec4 result, uvec4 z, bool zero) {
    if (zero) result.xy = double_negate(DOUBLE_INFINITY);
    if (double_complex_is_nan(z)) result = DOUBLE_COMPLEX_NAN;
    if (double_complex_is_infinite(z)) result.xy = DOUBLE_INFINITY;
    return result;
}

// Times a factor, for other bases.
uvec4 double_complex_log(uvec4 z, Extended factor) {
    Point found = point_log(z);
    uvec4 result = complex_of(extended_multiply(found.x, factor), extended_multiply(found.y, factor));
    return double_complex_log_special(result, z, double_complex_is_zero(z));
}

// |1 + z|^2 - 1 is x^2 + y^2 + 2 x.
uvec4 double_complex_log1p(uvec4 z) {
    const uvec2 two = uvec2(0u, 0x40000000u);
    Exact square = exact_sum(exact_product(z.xy, z.xy), exact_product(z.zw, z.zw));
    Exact above = exact_sum(square, exact_product(z.xy, two));
    Extended x = extended_add(EXTENDED_ONE, extended_of(z.xy)), y = extended_of(z.zw);
    bool zero = long_is_zero(x.bits) && double_is_zero(z.zw);
    Extended whole = extended_add(extended_multiply(x, x), extended_multiply(y, y));
    uvec4 unit = double_direction_if_far(z);
    bool far = double_complex_is_infinite(z);
    Extended across = extended_select(far, extended_of(unit.xy), x);
    Ratio angle = angle_ratio(extended_select(far, extended_of(unit.zw), y), across);
    Point found = point_of(size_ratio(above, whole), angle, z.w & DOUBLE_SIGN);
    return double_complex_log_special(complex_of(found.x, found.y), z, zero);
}

int double_side(uvec2 a) { return double_is_zero(a) || double_is_nan(a) ? 0 : double_is_negative(a) ? -1 : 1; }

int extended_side(Extended a) { return long_is_zero(a.bits) ? 0 : a.sign != 0u ? -1 : 1; }

// A power where the base is 0, or something is not finite: infinite in an unknown direction, 0 or NaN, as the
// real part of w log z is infinite, negatively infinite or NaN by C99's rules of a product.
uvec4 double_complex_pow_special(uvec4 z, uvec4 w, Point log) {
    int side = double_side(w.xy);
    if (double_complex_is_zero(z)) return side > 0 ? uvec4(0u) : DOUBLE_COMPLEX_NAN;
    bool far = double_complex_is_infinite(z), nan = double_complex_is_nan(z);
    bool first = double_is_infinite(w.xy), second = double_is_infinite(w.zw);
    int real = first || far ? side : 0, imag = second ? double_side(w.zw) : 0;
    int angle = nan ? 0 : extended_side(log.y);
    bool unknown = far ? real == 0 || !first && second && angle == 0 : nan;
    int power = unknown ? 0 : real * (far ? 1 : extended_side(log.x)) - imag * angle;
    if (power == 0) return DOUBLE_COMPLEX_NAN;
    return power < 0 ? uvec4(0u) : uvec4(DOUBLE_INFINITY, DOUBLE_NAN);
}

// e^(w log z), where the logarithm has 64 digits.
uvec4 double_complex_pow(uvec4 z, uvec4 w) {
    Point found = point_log(z);
    Extended c = extended_of(w.xy), d = extended_of(w.zw);
    Extended power = extended_subtract(extended_multiply(c, found.x), extended_multiply(d, found.y));
    Extended angle = extended_add(extended_multiply(c, found.y), extended_multiply(d, found.x));
    uvec4 result = complex_at(extended_exp(power), angle);
    bool usual = double_complex_is_finite(z) && double_complex_is_finite(w);
    if (usual && angle.exponent >= 1024) result = DOUBLE_COMPLEX_NAN;
    if (!usual || double_complex_is_zero(z)) result = double_complex_pow_special(z, w, found);
    return double_complex_is_zero(w) ? uvec4(DOUBLE_ONE, 0u, 0u) : result;
}
#endif
