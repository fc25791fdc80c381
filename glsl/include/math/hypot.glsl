// The length of a float32 vector, correctly rounded, by integers.
#ifndef HYPOT_HEAD
#define HYPOT_HEAD
#include "math/divide.glsl"
#include "math/long.glsl"

// No intermediate result overflows or is flushed. An infinite operand wins over NaN.
float float_hypot(float a, float b) {
    uint x = floatBitsToUint(a) & ~FLOAT_SIGN, y = floatBitsToUint(b) & ~FLOAT_SIGN;
    uint most = max(x, y), u = float_normalised(most), v = float_normalised(min(x, y));
    int exponent = float_exponent(u);
    uint by = uint(min(2 * (exponent - float_exponent(v)), 63));
    u = u & FLOAT_FRACTION | FLOAT_LEADING;
    v = v & FLOAT_FRACTION | FLOAT_LEADING;
    // Four times the squares, so that the root gets one more bit; `more` says whether bits were lost.
    uvec2 all = long_product(2u * v, 2u * v), kept = long_right(all, by);
    uvec2 sum = long_add(long_product(2u * u, 2u * u), kept);
    bool more = !long_equal(long_left(kept, by), all);
    bool wide = sum.y >= 1u << 18;
    more = more || wide && (sum.x & 3u) != 0u;
    sum = wide ? long_right(sum, 2u) : sum;
    exponent += int(wide);
    // From an estimate, as in float_sqrt; but here the root may be a tie, which goes to even.
    precise float rounded = float(int(sum.y)) * 4294967296.0 + float(int(sum.x >> 8)) * 256.0;
    precise float estimate = sqrt(rounded) * 0.5;
    int root = int(estimate), rest = int(sum.x) - 4 * root * root, step = 1;
    for (; step != 0; root += step) {
        bool odd = (root & 1) != 0, more_up = more || odd, more_down = odd && !more;
        int up = rest - 4 * root - 1, down = 1 - 4 * root - rest;
        step = int(up > 0 || up == 0 && more_up) - int(down > 0 || down == 0 && more_down);
        rest -= 8 * step * root + 4 * abs(step);
    }
    int beyond = rest < 0 ? -1 : int(rest > 0 || more);
    uint bits = float_rounded(uint(4 * root + beyond), exponent);
    bits = min(x, y) == 0u ? most : bits;
    bits = most > FLOAT_INFINITY ? FLOAT_NAN : bits;
    return uintBitsToFloat(x == FLOAT_INFINITY || y == FLOAT_INFINITY ? FLOAT_INFINITY : bits);
}
#endif
