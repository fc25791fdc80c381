#version 450
#extension GL_GOOGLE_include_directive : require
// Elements as unsigned integers in their order: -0.0 is 0.0, NaN is one number and the greatest. A
// mask that the kernel is told turns the order round.
#define SOURCES 1
#define VALUE uvec2
#define RESULT uvec2
#include "types_head.glsl"

uvec2 decode(uvec2 raw, uint type) { return raw; }
uvec2 to_value(uvec2 words) { return words; }
uvec2 encode(uvec2 value, uint type) { return value; }
#include "elementwise_head.glsl"

// The bits of infinity, of a float's upper word or of its only one.
uint infinity_of(uint type) {
    if (type == FLOAT16) return 0x7c00u;
    return type == FLOAT32 ? 0x7f800000u : 0x7ff00000u;
}

uvec2 compute(uvec2 a) {
    uvec2 key = a;
    bool wide = bits_of(A_TYPE) == 64;
    uint sign = 1u << min(bits_of(A_TYPE), 32) - 1, top = wide ? a.y : a.x, low = wide ? a.x : 0;
    if (A_TYPE == BOOL)
        key.x = uint(a.x != 0);
    else if (is_signed_int(A_TYPE))
        top ^= sign;
    else if (A_TYPE >= FLOAT16) {
        uint magnitude = top & sign - 1, infinity = infinity_of(A_TYPE);
        bool zero = (magnitude | low) == 0, nan = magnitude + uint(low != 0) > infinity;
        bool negative = (top & sign) != 0 && !zero;
        top = negative ? ~top & sign - 1 : top | sign;
        low = negative ? ~low : low;
        top = nan ? 0xffffffffu : top;
        low = nan ? 0xffffffffu : low;
    }
    if (A_TYPE != BOOL) key = wide ? uvec2(low, top) : uvec2(top, 0);
    return key ^ push.scalars[0];
}

void main() { run(); }
