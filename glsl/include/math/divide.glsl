// Quotients and square roots of float32, correctly rounded, subnormals included. The driver's result for
// the significand, however inaccurate, is corrected by an exact remainder, for which arithmetic modulo 2^32
// suffices, since the estimate is close. If the driver rounds well, no loop runs.
#ifndef DIVIDE_HEAD
#define DIVIDE_HEAD
#include "math/native.glsl"

const uint FLOAT_SIGN = 0x80000000u;
const uint FLOAT_INFINITY = 0x7f800000u;
const uint FLOAT_NAN = 0x7fc00000u;
const uint FLOAT_ONE = 0x3f800000u;
const uint FLOAT_LEADING = 0x00800000u;  // the leading bit of a significand, and the smallest normal number
const uint FLOAT_FRACTION = 0x007fffffu;

// The bits of a number as if exponents below 1 existed: a subnormal number gets its leading bit where
// normal numbers have it. Normal numbers are unchanged.
uint float_normalised(uint magnitude) {
    uint scaled = floatBitsToUint(float(int(magnitude & FLOAT_FRACTION))) - (149u << 23);
    return magnitude < FLOAT_LEADING ? scaled : magnitude;
}

// The biased exponent of these bits.
int float_exponent(uint normalised) { return int(normalised) >> 23; }

// The bits of (quarters / 4) * 2^(exponent - 150), rounded to nearest, ties to even. `quarters` is at least
// 2^25 and less than 2^26; its last bit is sticky: it is set if anything below was not 0.
uint float_rounded(uint quarters, int exponent) {
    uint drop = uint(clamp(3 - exponent, 2, 31));
    uint kept = quarters >> drop, rest = quarters << (32u - drop);
    kept += uint(rest > FLOAT_SIGN || rest == FLOAT_SIGN && (kept & 1u) != 0u);
    uint bits = kept + (uint(clamp(exponent, 1, 255) - 1) << 23);
    return min(bits, FLOAT_INFINITY);
}

#ifdef NATIVE_SPEC
float native_float(float a) {
    bool nan = (floatBitsToUint(a) & ~FLOAT_SIGN) > FLOAT_INFINITY;
    return nan ? uintBitsToFloat(FLOAT_NAN) : a;
}

#define NATIVELY_FLOAT(operation, computed) \
    if ((NATIVE & operation) != 0u) {       \
        precise float result = computed;    \
        return native_float(result);        \
    }
#else
#define NATIVELY_FLOAT(operation, computed)
#endif

float float_divide(float a, float b) {
    NATIVELY_FLOAT(NATIVE_FLOAT_DIVIDE, a / b)
    uint x = floatBitsToUint(a), y = floatBitsToUint(b), sign = (x ^ y) & FLOAT_SIGN;
    x &= ~FLOAT_SIGN;
    y &= ~FLOAT_SIGN;
    uint u = float_normalised(x), v = float_normalised(y);
    uint p = u & FLOAT_FRACTION, q = v & FLOAT_FRACTION;
    // The quotient of significands is between 1/2 and 2, and never halfway between two floats.
    bool less = p < q;
    precise float estimate = uintBitsToFloat(p | FLOAT_ONE) / uintBitsToFloat(q | FLOAT_ONE);
    int quotient = int(estimate * (less ? 16777216.0 : 8388608.0));
    int divisor = int(q | FLOAT_LEADING);
    int rest = int((p | FLOAT_LEADING) << (less ? 24 : 23)) - quotient * divisor;
    while (abs(rest) * 2 > divisor) {
        int step = rest < 0 ? -1 : 1;
        quotient += step;
        rest -= step * divisor;
    }
    int beyond = int(rest > 0) - int(rest < 0);
    int exponent = float_exponent(u) - float_exponent(v) + (less ? 126 : 127);
    uint bits = float_rounded(uint(quotient * 4 + beyond), exponent);
    bits = x == 0u || y == FLOAT_INFINITY ? 0u : bits;
    bits = x == FLOAT_INFINITY || y == 0u ? FLOAT_INFINITY : bits;
    bool equal = x == y && (x == 0u || x == FLOAT_INFINITY);
    bool nan = max(x, y) > FLOAT_INFINITY || equal;
    return uintBitsToFloat(nan ? FLOAT_NAN : bits | sign);
}

float float_reciprocal(float x) { return float_divide(1.0, x); }

// The root of -0 is -0, of other negative numbers NaN.
float float_sqrt(float x) {
    NATIVELY_FLOAT(NATIVE_FLOAT_SQRT, sqrt(x))
    uint bits = floatBitsToUint(x), normal = float_normalised(bits);
    // The radicand is the significand times 1 or 2, so that an even power of two remains.
    int exponent = float_exponent(normal) - 127;
    uint odd = uint(exponent & 1), fraction = normal & FLOAT_FRACTION;
    precise float estimate = sqrt(uintBitsToFloat(fraction | FLOAT_ONE + (odd << 23)));
    int root = int(estimate * 8388608.0);
    int rest = int((fraction | FLOAT_LEADING) << (23u + odd)) - root * root;
    while (rest > root || rest <= -root) {
        int step = rest < 0 ? -1 : 1;
        rest -= 2 * step * root + 1;
        root += step;
    }
    uint result = uint(root) + (uint((exponent >> 1) + 126) << 23);
    bool itself = (bits & ~FLOAT_SIGN) == 0u || bits == FLOAT_INFINITY;
    result = bits >= FLOAT_INFINITY ? FLOAT_NAN : result;
    return uintBitsToFloat(itself ? bits : result);
}

// The upper word of y^2 * x, modulo 2^64.
int rsqrt_excess(uint y, uint x) {
    uint high, low, above, below;
    umulExtended(y, y, high, low);
    umulExtended(low, x, above, below);
    return int(above + high * x);
}

// For zeros, the infinity of their sign; for other negative numbers, NaN.
float float_rsqrt(float x) {
    uint bits = floatBitsToUint(x), normal = float_normalised(bits);
    int exponent = float_exponent(normal) - 127;
    uint odd = uint(exponent & 1), fraction = normal & FLOAT_FRACTION;
    precise float estimate = inversesqrt(uintBitsToFloat(fraction | FLOAT_ONE + (odd << 23)));
    uint root = uint(int(estimate * 16777216.0));
    uint radicand = (fraction | FLOAT_LEADING) << odd;
    // As integers, root^2 * radicand should be 2^71, and half a unit of the root changes it by
    // root * radicand. Only close to a tie, or far off, the squares at the half units must be compared.
    float half_step = float(int(root)) * float(int(radicand)) * (1.0 / 4294967296.0);
    float excess = float(rsqrt_excess(root, radicand)), size = abs(excess);
    bool doubtful = abs(size - half_step) < 3.0 || size > 2.0 * half_step;
    root += uint(int(excess < -half_step) - int(excess > half_step));
    for (; doubtful; doubtful = false) {
        while (rsqrt_excess(2u * root + 1u, radicand) < 0) root++;
        while (rsqrt_excess(2u * root - 1u, radicand) >= 0) root--;
    }
    uint result = root + (uint(125 - (exponent >> 1)) << 23);
    result = bits >= FLOAT_INFINITY ? FLOAT_NAN : result;
    result = bits == FLOAT_INFINITY ? 0u : result;
    bool zero = (bits & ~FLOAT_SIGN) == 0u;
    return uintBitsToFloat(zero ? bits | FLOAT_INFINITY : result);
}
#endif
