// Work units, and how a number becomes coordinates. A kernel defines `unit(n, whole)` and calls
// `run()`. Dims stand innermost first. All arithmetic is modulo 2^32, so strides may be negative.

// A copy reads one source. What reads more, or makes elements out of the index of each, says so before it
// includes this: SOURCES are read, BASES names the bases of its bindings, FROM is where the sources start,
// or the indexes, and EXTRA declares what else it is told, for which fewer dims make room. Where there are
// more dims, if it has ARGUMENTS, an array, all of them lie there.
#ifndef SOURCES
#define SOURCES 1
#endif
#ifndef BASES
#define BASES src_base, dst_base
#define FROM push.src_base
#define MAX_RANK 8
#define EXTRA
#endif

// An address in each operand, of which dst is the last.
#if SOURCES == 1
#define PLACE uvec2
#elif SOURCES == 2
#define PLACE uvec3
#else
#define PLACE uvec4
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 8;  // invocations that run in step; divides the local size
layout(constant_id = 2) const uint RANK = 1;
layout(constant_id = 3) const bool EDGES = true;  // there are units that are not whole

layout(push_constant) uniform Push {
    uint first, end, BASES;
    uint whole;   // units from here on lie at an edge and do less than those before
    uint groups;  // whole units in a row, at least 1
    uint extent;  // elements in a row, or units along dim 1 of a tile
    uint sizes[MAX_RANK], strides[(SOURCES + 1) * MAX_RANK];  // strides of one operand after another
    EXTRA
} push;

// The same as the push block: what stays in registers is not loaded again at every unit.
PLACE bases;
uint groups, extent, sizes[8];
PLACE strides[8];
uint reciprocals[8], groups_reciprocal, extent_reciprocal;  // (2^32 - 1) / d

// n / d for n < 2^31: the product with the reciprocal is at most 1 short, which the remainder tells.
uint divide(uint n, uint d, uint reciprocal, out uint remainder) {
    uint quotient, low;
    umulExtended(n, reciprocal, quotient, low);
    remainder = n - quotient * d;
    bool short_by_one = remainder >= d;
    remainder -= short_by_one ? d : 0;
    return quotient + uint(short_by_one);
}

// The coordinate that n has in dim k of those from k on; n becomes the number that is left.
uint take(inout uint n, uint k) {
    uint at = n;
    if (k + 1 < RANK) n = divide(n, sizes[k], reciprocals[k], at);
    return at;
}

void unit(uint n, bool whole);

// Each strand of LANES invocations does one stretch of units, its lanes side by side: neighbours
// touch neighbouring memory at every step, and a CPU, which runs a strand to its end before it
// takes up the next, sweeps through memory.
void run() {
    bases = PLACE(FROM, push.dst_base);
    groups = push.groups;
    extent = push.extent;
    groups_reciprocal = 0xffffffffu / groups;
    extent_reciprocal = 0xffffffffu / extent;
    [[unroll]] for (uint k = 0; k < RANK; k++) {
#ifdef ARGUMENTS
        if (RANK > MAX_RANK) {
            uint at = push.sizes[0] + k;
            sizes[k] = ARGUMENTS[at];
            [[unroll]] for (uint s = 0; s <= SOURCES; s++) strides[k][s] = ARGUMENTS[at + (s + 1) * RANK];
        } else
#endif
        {
            sizes[k] = push.sizes[k];
            [[unroll]] for (uint s = 0; s <= SOURCES; s++) strides[k][s] = push.strides[s * MAX_RANK + k];
        }
        reciprocals[k] = 0xffffffffu / sizes[k];
    }
    uint strands = gl_NumWorkGroups.x * (gl_WorkGroupSize.x / LANES);
    uint units = push.end - push.first;
    uint stretch = (units + strands - 1) / strands;
    uint start = min(gl_GlobalInvocationID.x / LANES * stretch, units);
    uint stop = push.first + min(start + stretch, units);
    uint n = push.first + start + gl_GlobalInvocationID.x % LANES;
    // Two loops and no branch: a CPU runs both sides of a branch.
    for (; n < min(stop, push.whole); n += LANES) unit(n, true);
    if (EDGES) for (; n < stop; n += LANES) unit(n, false);
}
