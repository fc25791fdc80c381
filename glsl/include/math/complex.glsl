// Complex numbers as pairs of float32, by the rules of math/double_complex.glsl. Quotients are computed in
// float64 and rounded once more.
#ifndef COMPLEX_HEAD
#define COMPLEX_HEAD
#include "math/double_complex.glsl"
#include "math/round.glsl"
#include "types/cast.glsl"

bool float_is_nan(float a) { return float_magnitude(a) > FLOAT_INFINITY; }

bool float_is_infinite(float a) { return float_magnitude(a) == FLOAT_INFINITY; }

float float_negate(float a) { return uintBitsToFloat(floatBitsToUint(a) ^ FLOAT_SIGN); }

bool complex_is_nan(vec2 a) { return float_is_nan(a.x) || float_is_nan(a.y); }

bool complex_is_infinite(vec2 a) { return float_is_infinite(a.x) || float_is_infinite(a.y); }

bool complex_is_zero(vec2 a) { return float_magnitude(a.x) == 0u && float_magnitude(a.y) == 0u; }

bool complex_equal(vec2 a, vec2 b) { return float_equal(a.x, b.x) && float_equal(a.y, b.y); }

vec2 complex_negate(vec2 a) { return vec2(float_negate(a.x), float_negate(a.y)); }

vec2 complex_conj(vec2 a) { return vec2(a.x, float_negate(a.y)); }

uvec4 complex_to_double(vec2 a) { return uvec4(cast_to_double(a.x), cast_to_double(a.y)); }

float float_from_double(uvec2 a) {
    return uintBitsToFloat(cast_round(cast_read(a, FLOAT64), FLOAT32).x);
}

vec2 complex_from_double(uvec4 a) { return vec2(float_from_double(a.xy), float_from_double(a.zw)); }

vec2 complex_parts(vec2 a, vec2 b) {
    precise vec2 straight = vec2(a.x * b.x, a.x * b.y), cross = vec2(a.y * b.y, a.y * b.x);
    precise vec2 product = vec2(straight.x - cross.x, straight.y + cross.y);
    return product;
}

float float_direction(float a) {
    uint one = float_is_infinite(a) ? FLOAT_ONE : 0u;
    return uintBitsToFloat(one | floatBitsToUint(a) & FLOAT_SIGN);
}

float float_unless_nan(float a) {
    return uintBitsToFloat(float_is_nan(a) ? floatBitsToUint(a) & FLOAT_SIGN : floatBitsToUint(a));
}

float float_times_infinity(float a) {
    uint magnitude = float_magnitude(a), sign = floatBitsToUint(a) & FLOAT_SIGN;
    bool nan = magnitude == 0u || magnitude > FLOAT_INFINITY;
    return uintBitsToFloat(nan ? FLOAT_NAN : FLOAT_INFINITY | sign);
}

// An infinite number as its direction, and no NaN.
vec2 complex_direction(vec2 a, bool infinite) {
    vec2 direction = vec2(float_direction(a.x), float_direction(a.y));
    a = infinite ? direction : a;
    return vec2(float_unless_nan(a.x), float_unless_nan(a.y));
}

vec2 complex_multiply(vec2 a, vec2 b) {
    vec2 product = complex_parts(a, b);
    bool far = complex_is_infinite(a), other = complex_is_infinite(b);
    vec2 turned = complex_parts(complex_direction(a, far), complex_direction(b, other));
    turned = vec2(float_times_infinity(turned.x), float_times_infinity(turned.y));
    bool lost = float_is_nan(product.x) && float_is_nan(product.y) && (far || other);
    return lost ? turned : product;
}

vec2 complex_divide(vec2 a, vec2 b) {
    return complex_from_double(double_complex_divide(complex_to_double(a), complex_to_double(b)));
}
#endif
