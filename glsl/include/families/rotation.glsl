// Rotations in a plane, by additions and products alone: a reciprocal root by Newton's method takes no loop, and
// its last digits need not be right, since a rotation that is off by a few roundings does no harm.
struct Rotation {
    REAL c, s, size;
};

#ifdef DOUBLE
#define ONE_AND_A_HALF uvec2(0u, 0x3FF80000u)
#else
#define ONE_AND_A_HALF 1.5
#endif

REAL nearer(REAL a, REAL y) { return times(y, minus(ONE_AND_A_HALF, times(times(HALF, a), times(y, y)))); }

// About 1 / sqrt(a) for `a` from 1 to 8, or 0: an estimate by the bits has 5 right, and each step doubles them.
REAL reciprocal_root(REAL a) {
#ifdef DOUBLE
    REAL y = nearer(a, uvec2(0u, 0x5FE6EB50u - (a.y >> 1u)));
    y = nearer(a, y);
#else
    REAL y = nearer(a, uintBitsToFloat(0x5F375A86u - (floatBitsToUint(a) >> 1u)));
#endif
    y = nearer(a, y);
    // The last step adds a small number, which costs half a rounding.
    return plus(y, times(y, times(HALF, minus(ONE, times(times(a, y), y)))));
}

// Cosine, sine and length: (c, s; -s, c) turns (x, z) into (length, 0).
Rotation rotation(REAL x, REAL z) {
    REAL size = magnitude(x), other = magnitude(z), most = beyond(other, size) ? other : size;
    REAL scale = scale_for(most), u = times(x, scale), w = times(z, scale);
    REAL square = plus(times(u, u), times(w, w)), y = reciprocal_root(square);
    if (is_zero(z)) return Rotation(ONE, ZERO, x);
    REAL unit_size = two_to(clamp(exponent_of(most), LEAST_EXPONENT, MOST_EXPONENT));
    return Rotation(times(u, y), times(w, y), times(times(square, y), unit_size));
}

// What to add to r for the eigenvalue of (p, q; q, r) that is closer to it, from `difference`, (p - r) / 2, and from
// the rotation of it and q.
REAL shift_by(REAL difference, REAL q, REAL size) {
    REAL divisor = plus(magnitude(difference), magnitude(size)), scale = scale_for(divisor);
    REAL part = times(times(q, scale), reciprocal_root(times(divisor, scale)));
    part = times(times(part, part), two_to(clamp(exponent_of(divisor), LEAST_EXPONENT, MOST_EXPONENT)));
    return is_zero(q) ? ZERO : is_negative(difference) ? part : negative(part);
}
