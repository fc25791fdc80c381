// Indexes as distances from the start of a dim. The includer defines SIZE, the dim's size: negative
// indexes count from its end.
#include "types/types.glsl"

// The low word of an index, sign-extended.
uint index_low(uint raw, uint type) {
    uint by = bits_of(type) < 32 ? 32 - bits_of(type) : 0;
    return is_signed_int(type) ? uint(int(raw << by) >> by) : raw;
}

bool is_outside(uvec2 raw, uint type) {
    uint low = index_low(raw.x, type), high = bits_of(type) == 64 ? raw.y : 0;
    bool negative = is_signed_int(type) && int(bits_of(type) == 64 ? high : low) < 0;
    if (bits_of(type) == 64 && high != (negative ? 0xffffffffu : 0)) return true;
    return (negative ? ~low : low) >= SIZE;
}

// Indexes are in range, or SIZE is 0: then they are offsets already, and nothing is added or clamped.
uint index_from_start(uvec2 raw, uint type) {
    uint at = index_low(raw.x, type);
    at += is_signed_int(type) && int(at) < 0 ? SIZE : 0;
    return min(at, SIZE - 1);
}
