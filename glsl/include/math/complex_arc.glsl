// Inverse functions of sines, cosines and tangents of complex numbers, as pairs of float64, by Kahan's formulas
// and the rules of math/complex_exp.glsl.
#ifndef COMPLEX_ARC_HEAD
#define COMPLEX_ARC_HEAD
#include "math/complex_log.glsl"

const uvec2 DOUBLE_HALF_PI = uvec2(0x54442d18u, 0x3ff921fbu);

// The inverse sine, or cosine, of a finite number: from the roots a of 1 - z and b of 1 + z.
Point point_arc(uvec4 z, bool cosine) {
    Extended x = extended_of(z.xy), y = extended_of(z.zw);
    Point a = point_sqrt(Point(extended_subtract(EXTENDED_ONE, x), extended_negate(y)));
    Point b = point_sqrt(Point(extended_add(EXTENDED_ONE, x), y));
    Extended real = extended_subtract(extended_multiply(a.x, b.x), extended_multiply(a.y, b.y));
    Extended imag = extended_subtract(extended_multiply(a.x, b.y), extended_multiply(a.y, b.x));
    imag.sign = y.sign;
    Extended angle = extended_angle(extended_select(cosine, a.x, x), extended_select(cosine, b.x, real));
    imag = extended_asinh(imag);
    if (cosine) imag.sign ^= DOUBLE_SIGN;
    return Point(extended_scale(angle, cosine ? 1 : 0), imag);
}

uvec4 double_complex_acos(uvec4 z) {
    uvec2 x = z.xy, y = z.zw;
    Point found = point_arc(z, true);
    uvec4 result = complex_of(found.x, found.y);
    if (double_complex_is_infinite(z)) {
        uvec2 angle = double_atan2(double_abs(y), x);
        result = uvec4(angle, double_copysign(DOUBLE_INFINITY, double_negate(y)));
    } else if (double_complex_is_nan(z))
        result = double_is_zero(x) ? uvec4(DOUBLE_HALF_PI, DOUBLE_NAN) : DOUBLE_COMPLEX_NAN;
    return result;
}

uvec4 double_complex_acosh(uvec4 z) {
    uvec4 arc = double_complex_acos(z);
    return uvec4(double_abs(arc.zw), double_copysign(arc.xy, z.zw));
}

uvec4 double_complex_asinh(uvec4 z) {
    uvec2 x = z.xy, y = z.zw;
    Point found = point_arc(double_complex_turn(z), false);
    uvec4 result = double_complex_turned(complex_of(found.x, found.y));
    if (double_complex_is_infinite(z))
        result = uvec4(double_copysign(DOUBLE_INFINITY, x), double_atan2(y, double_abs(x)));
    else if (double_complex_is_nan(z))
        result = uvec4(DOUBLE_NAN, double_is_zero(y) ? y : DOUBLE_NAN);
    return result;
}

uvec4 double_complex_asin(uvec4 z) {
    return double_complex_turned(double_complex_asinh(double_complex_turn(z)));
}

// log(1 + 4 |x| / ((1 - |x|)^2 + y^2)) / 4, and half the angle of 2 y and (1 - |x|) (1 + |x|) - y^2.
uvec4 double_complex_atanh(uvec4 z) {
    uvec2 x = z.xy, y = z.zw;
    Extended a = extended_abs(extended_of(x)), b = extended_of(y), square = extended_multiply(b, b);
    Extended less = extended_subtract(EXTENDED_ONE, a), more = extended_add(EXTENDED_ONE, a);
    Extended size = extended_add(extended_multiply(less, less), square);
    Extended real = extended_scale(extended_log1p(extended_divide(extended_scale(a, 2), size)), -2);
    real.sign = x.y & DOUBLE_SIGN;
    Extended rest = extended_subtract(extended_multiply(less, more), square);
    Extended angle = extended_scale(extended_angle(extended_scale(b, 1), rest), -1);
    uvec4 result = complex_of(real, angle);
    if (long_is_zero(size.bits)) result = uvec4(double_copysign(DOUBLE_INFINITY, x), y);
    uvec2 none = double_copysign(uvec2(0u), x), quarter = double_copysign(DOUBLE_HALF_PI, y);
    if (double_complex_is_nan(z)) {
        bool kept = double_is_zero(x) || double_is_infinite(x);
        result = kept ? uvec4(none, DOUBLE_NAN) : DOUBLE_COMPLEX_NAN;
    } else if (double_is_infinite(x))
        result = uvec4(none, quarter);
    return double_is_infinite(y) ? uvec4(none, quarter) : result;
}

uvec4 double_complex_atan(uvec4 z) {
    return double_complex_turned(double_complex_atanh(double_complex_turn(z)));
}
#endif
