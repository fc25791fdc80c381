#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The elements that are not 0, in logical row-major order. A unit of UNIT elements counts them, or writes
// their indexes, of WORDS words each.
#include "families/nonzero.glsl"

void unit(uint n, bool whole) {
    uint i = n * UNIT, end = min(i + UNIT, extent), before = 0, per = 128 / bits_of(TYPE);
    if (!COUNTS) before = push.dst_base + carry[push.carry_base + n];
    Walk walk = walk_from(bases, i);
    while (i < end) {
        // A bit for each of the next 32 elements.
        uint count = min(end - i, 32u), found = 0;
        if (SRC_QUADS) {
            for (uint k = 0; k < count; k += per)
                found |= bits_of_quad(src_quads[(bases.x + i + k) / per]) << k;
            if (count < 32) found &= (1u << count) - 1;
        } else
            for (uint k = 0; k < count; k++) {
                found |= uint(is_nonzero(walk.place.x)) << k;
                step(walk);
            }
        if (COUNTS)
            before += uint(bitCount(found));
        else
            for (; found != 0; found &= found - 1)
                dst[before++] = WIDENED(i + uint(findLSB(found)));
        i += count;
    }
    if (COUNTS) dst[push.dst_base + n] = WIDENED(before);
}

void main() { run(); }
