// Exponentials, hyperbolic functions, sines and cosines of complex numbers, as pairs of float64: by 64 digits
// that neither overflow nor underflow, so that each part is in effect rounded once. Where a part is infinite
// or NaN, the results are C99's (annex G).
#ifndef COMPLEX_EXP_HEAD
#define COMPLEX_EXP_HEAD
#include "math/double_complex.glsl"
#include "math/double_exp.glsl"
#include "math/double_trig.glsl"

// The point of the unit circle at an angle.
struct Circle {
    Extended cosine, sine;
};

Turn circle_turn(Extended angle) {
    Turn turn = turn_of(angle);
    // What float64 would not hold, which turns leave out.
    Extended low = extended_normal(uvec2(angle.bits.x & 0x7ffu, 0u), angle.exponent, 0u);
    if (angle.exponent >= -1) turn.rest = extended_add(turn.rest, low);
    return turn;
}

// Here and below, loops have code only once that drivers would otherwise compile twice.
Circle circle_of(Extended angle) {
    Turn turn = circle_turn(angle);
    Circle circle;
    uint k = 0u;
    [[dont_unroll]] do {
        Extended part = extended_sine_of(turn, 1u - k);
        if (k == 0u) circle.cosine = part;
        circle.sine = part;
    } while (++k < 2u);
    circle.sine.sign ^= angle.sign;
    return circle;
}

uvec4 complex_of(Extended x, Extended y) { return uvec4(double_of(x), double_of(y)); }

// The number of this size and angle.
uvec4 complex_at(Extended size, Extended angle) {
    Turn turn = circle_turn(angle);
    uvec4 result;
    uint k = 0u;
    [[dont_unroll]] do {
        Extended part = extended_sine_of(turn, 1u - k);
        part.sign ^= k == 0u ? 0u : angle.sign;
        uvec2 rounded = double_of(extended_multiply(size, part));
        result = uvec4(k == 0u ? rounded : result.xy, rounded);
    } while (++k < 2u);
    return result;
}

// -i times a number: f(z) = -i g(iz) for the sine and the hyperbolic sine, and others.
uvec4 double_complex_turned(uvec4 a) { return uvec4(a.zw, double_negate(a.xy)); }

// i times a number.
uvec4 double_complex_turn(uvec4 a) { return uvec4(double_negate(a.zw), a.xy); }

bool double_is_positive_infinity(uvec2 a) { return long_equal(a, DOUBLE_INFINITY); }

bool double_is_negative_infinity(uvec2 a) { return double_is_infinite(a) && double_is_negative(a); }

uvec4 double_complex_exp(uvec4 z) {
    uvec2 x = z.xy, y = z.zw;
    Extended size = extended_exp(extended_of(x));
    uvec4 result = complex_at(size, extended_of(y));
    if (!double_is_finite(y)) {
        result = uvec4(double_is_positive_infinity(x) ? x : DOUBLE_NAN, DOUBLE_NAN);
        result = double_is_negative_infinity(x) ? uvec4(0u) : result;
    }
    if (double_is_nan(x)) result = DOUBLE_COMPLEX_NAN;
    return double_is_zero(y) ? uvec4(double_unless_nan(size, x), y) : result;
}

// With e^x - 1 = m: m cos y - 2 sin^2(y / 2), and e^x sin y.
uvec4 double_complex_expm1(uvec4 z) {
    uvec2 x = z.xy, y = z.zw;
    Extended a = extended_of(x), m = extended_expm1(extended_abs(a));
    Extended below = extended_divide(m, extended_add(m, EXTENDED_ONE));
    m = extended_select(a.sign != 0u, below, m);
    m.sign = a.sign;
    Circle circle = circle_of(extended_of(y));
    Extended half_sine = circle_of(extended_scale(extended_of(y), -1)).sine;
    Extended less = extended_scale(extended_multiply(half_sine, half_sine), 1);
    Extended real = extended_subtract(extended_multiply(m, circle.cosine), less);
    uvec4 result = complex_of(real, extended_multiply(extended_exp(a), circle.sine));
    if (!double_is_finite(y)) {
        result = uvec4(double_is_positive_infinity(x) ? x : DOUBLE_NAN, DOUBLE_NAN);
        if (double_is_negative_infinity(x)) result = uvec4(double_negate(DOUBLE_ONE), 0u, 0u);
    }
    if (double_is_nan(x)) result = DOUBLE_COMPLEX_NAN;
    return double_is_zero(y) ? uvec4(double_unless_nan(m, x), y) : result;
}

// sinh x cos y + i cosh x sin y, or cosh x cos y + i sinh x sin y.
uvec4 double_complex_hyperbolic(uvec4 z, bool even) {
    uvec2 x = z.xy, y = z.zw;
    Extended a = extended_of(x), cosine = extended_cosh(a), sine = extended_sinh(a);
    Circle circle = circle_of(extended_of(y));
    Extended first = extended_select(even, cosine, sine), second = extended_select(even, sine, cosine);
    uvec4 result = complex_of(extended_multiply(first, circle.cosine), extended_multiply(second, circle.sine));
    if (!double_is_finite(y)) {
        result = double_is_infinite(x) ? uvec4(even ? DOUBLE_INFINITY : x, DOUBLE_NAN) : DOUBLE_COMPLEX_NAN;
        if (double_is_zero(x)) result = even ? uvec4(DOUBLE_NAN, 0u, 0u) : uvec4(x, DOUBLE_NAN);
    }
    if (double_is_nan(x)) result = uvec4(DOUBLE_NAN, double_is_zero(y) ? y : DOUBLE_NAN);
    return result;
}

uvec4 double_complex_sinh(uvec4 z) { return double_complex_hyperbolic(z, false); }

uvec4 double_complex_cosh(uvec4 z) { return double_complex_hyperbolic(z, true); }

// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), in which nothing cancels.
uvec4 double_complex_tanh(uvec4 z) {
    uvec2 x = z.xy, y = z.zw;
    Extended a = extended_of(x), cosine = extended_cosh(a), sine = extended_sinh(a);
    Circle circle = circle_of(extended_of(y));
    Extended size = extended_add(extended_multiply(sine, sine), extended_multiply(circle.cosine, circle.cosine));
    Extended real = extended_divide(extended_multiply(sine, cosine), size);
    Extended imag = extended_divide(extended_multiply(circle.sine, circle.cosine), size);
    uvec4 result = complex_of(real, imag);
    if (!double_is_finite(y)) {
        result = double_is_infinite(x) ? uvec4(double_copysign(DOUBLE_ONE, x), 0u, 0u) : DOUBLE_COMPLEX_NAN;
        if (double_is_zero(x)) result = uvec4(x, DOUBLE_NAN);
    }
    if (double_is_nan(x)) result = uvec4(DOUBLE_NAN, double_is_zero(y) ? y : DOUBLE_NAN);
    return result;
}

uvec4 double_complex_sin(uvec4 z) {
    return double_complex_turned(double_complex_sinh(double_complex_turn(z)));
}

uvec4 double_complex_cos(uvec4 z) { return double_complex_cosh(double_complex_turn(z)); }

uvec4 double_complex_tan(uvec4 z) {
    return double_complex_turned(double_complex_tanh(double_complex_turn(z)));
}
#endif
