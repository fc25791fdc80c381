#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The elements that are not 0, in logical row-major order, by workgroups: one counts those of UNIT elements, which
// are 32 for each invocation, or writes their indexes or what another tensor has there. Neighbours read, and write,
// side by side.
#define TEAM
#include "families/nonzero.glsl"

#ifdef SELECTS
#define RESULT(position) values[push.values_base + (position) * push.step]
#else
#define RESULT(position) WIDENED(position)
#endif

#define LIST 2048  // indexes that are written at once
shared uint masks[256], list[LIST], sums[2 * 256];
#define SUMS(i) sums[i]
#include "index/team_sums.glsl"

// A bit for each of the `per` elements from i on.
uint bits_from(uint i, uint per) {
    if (!SRC_QUADS) return uint(is_nonzero(walk_from(bases, i).place.x));
    uint bits = bits_of_quad(src_quads[(bases.x + i) / per]);
    return i + per > extent ? bits & (1u << extent - i) - 1 : bits;
}

void unit(uint n, bool whole) {
    uint start = n * UNIT, end = min(start + UNIT, extent), id = gl_LocalInvocationID.x, all;
    uint per = SRC_QUADS ? 128 / bits_of(TYPE) : 1, count = 0;
    if (!COUNTS) masks[id] = 0;
    meet();
    for (uint i = start + id * per; i < end; i += LANES * per) {
        uint bits = bits_from(i, per), at = i - start;
        if (COUNTS)
            count += uint(bitCount(bits));
        else
            atomicOr(masks[at / 32], bits << at % 32);
    }
    meet();
    uint found = COUNTS ? 0 : masks[id];
    uint slot = sum_before(COUNTS ? count : uint(bitCount(found)), all);
    if (COUNTS) {
        if (id == 0) dst[push.dst_base + n] = WIDENED(all);
        return;
    }
    uint to = push.dst_base + carry[push.carry_base + n], first = start + id * 32;
    for (uint done = 0; done < all; done += LIST) {
        for (; found != 0 && slot < done + LIST; found &= found - 1)
            list[slot++ - done] = first + uint(findLSB(found));
        meet();
        for (uint j = id; j < min(all - done, LIST); j += LANES) dst[to + done + j] = RESULT(list[j]);
        meet();
    }
}

void main() { run(); }
