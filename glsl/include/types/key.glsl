// Elements as unsigned integers in the same order. All NaNs are equal, and greater than all numbers.
#ifndef KEY_HEAD
#define KEY_HEAD
#include "types/types.glsl"

// The lower word first; the upper one is 0 for elements of up to 32 bits. -0.0 equals 0.0.
uvec2 key_of(uvec2 raw, uint type) {
    bool wide = bits_of(type) == 64;
    uint top = wide ? raw.y : raw.x, low = wide ? raw.x : 0;
    uint sign = 1u << min(bits_of(type), 32) - 1;
    if (type == BOOL)
        top = uint(top != 0);
    else if (is_signed_int(type))
        top ^= sign;
    else if (type >= FLOAT16) {
        uint infinity = type == FLOAT16 ? 0x7c00u : type == FLOAT32 ? 0x7f800000u : 0x7ff00000u;
        uint magnitude = top & sign - 1;
        bool nan = magnitude + uint(low != 0) > infinity, negative = top != magnitude;
        negative = negative && (magnitude | low) != 0;
        top = negative ? ~top & sign - 1 : magnitude | sign;
        low = negative ? ~low : low;
        top = nan ? 0xffffffffu : top;
        low = nan ? 0xffffffffu : low;
    }
    return wide ? uvec2(low, top) : uvec2(top, 0);
}

bool key_less(uvec2 a, uvec2 b) { return a.y < b.y || a.y == b.y && a.x < b.x; }
#endif
