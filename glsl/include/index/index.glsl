// Work items ("units"), and the coordinates of a linear index. A kernel defines `unit(n, whole)` and calls
// `run()`. Dims are innermost first. All arithmetic is modulo 2^32, so strides may be negative.

// The defaults are those of a copy, which reads one source. A kernel that reads more sources, or computes
// elements from their indexes, defines before it includes this: SOURCES, their number; BASES, the names of
// the bases of its bindings; FROM, the bases of the sources, or the first index; EXTRA, its further
// parameters; and MAX_RANK, the number of dims that then fit into the push block. If a plan has more dims,
// sizes and strides are read from the array ARGUMENTS, if it is defined.
#ifndef SOURCES
#define SOURCES 1
#endif
#ifndef BASES
#define BASES src_base, dst_base
#define FROM push.src_base
#define MAX_RANK 8
#define EXTRA
#endif

// An address in each operand; dst is the last.
#if SOURCES == 1
#define PLACE uvec2
#elif SOURCES == 2
#define PLACE uvec3
#else
#define PLACE uvec4
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 8;  // invocations of a lane group; divides the local size
layout(constant_id = 2) const uint RANK = 1;
layout(constant_id = 3) const bool EDGES = true;  // some units are not whole

layout(push_constant) uniform Push {
    uint first, end, BASES;
    uint whole;   // the number of whole units; those at the edges come after them
    uint groups;  // whole units in a row, at least 1
    uint extent;  // elements in a row, or blocks along dim 1 for tiles
    uint sizes[MAX_RANK], strides[(SOURCES + 1) * MAX_RANK];  // operand after operand
    EXTRA
} push;

// Copies of the push block in registers, which need not be loaded again for every unit.
PLACE bases;
uint groups, extent, sizes[8];
PLACE strides[8];
uint reciprocals[8], groups_reciprocal, extent_reciprocal;  // (2^32 - 1) / d

// n / d for n < 2^31: the product with the reciprocal is too small by at most 1; the remainder shows it.
uint divide(uint n, uint d, uint reciprocal, out uint remainder) {
    uint quotient, low;
    umulExtended(n, reciprocal, quotient, low);
    remainder = n - quotient * d;
    bool short_by_one = remainder >= d;
    remainder -= short_by_one ? d : 0;
    return quotient + uint(short_by_one);
}

// Split the coordinate in dim k off n, a linear index over dims k and up; n becomes that over the rest.
uint take(inout uint n, uint k) {
    uint at = n;
    if (k + 1 < RANK) n = divide(n, sizes[k], reciprocals[k], at);
    return at;
}

void unit(uint n, bool whole);

// Each lane group, LANES invocations that run in lockstep, processes one range of units, its lanes side by
// side: neighbouring lanes access neighbouring memory, and a CPU, which runs one group after the other,
// walks through memory in one direction. Where a lane group is a workgroup, as on a GPU, groups do so too.
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
#if !defined(TEAM) && !defined(SHARED)
    if (LANES == gl_WorkGroupSize.x) {
        // All lane groups side by side, which takes no quotient.
        uint n = push.first + gl_GlobalInvocationID.x, apart = gl_NumWorkGroups.x * LANES;
        for (; n < min(push.end, push.whole); n += apart) unit(n, true);
        if (EDGES) for (; n < push.end; n += apart) unit(n, false);
        return;
    }
#endif
    uint strands = gl_NumWorkGroups.x * (gl_WorkGroupSize.x / LANES);
    uint units = push.end - push.first;
    uint stretch = (units + strands - 1) / strands;
#ifdef SHARED
    stretch = (stretch + LANES - 1) / LANES * LANES;  // All lanes of a group are at work, or none.
#endif
    uint start = min(gl_GlobalInvocationID.x / LANES * stretch, units);
    uint stop = push.first + min(start + stretch, units);
#ifdef TEAM
    // A workgroup, which is one lane group, does each unit together.
    for (uint n = push.first + start; n < stop; n++) unit(n, true);
#else
    uint n = push.first + start + gl_GlobalInvocationID.x % LANES;
    // Two loops instead of a branch: a CPU executes both sides of a branch.
    for (; n < min(stop, push.whole); n += LANES) unit(n, true);
    if (EDGES) for (; n < stop; n += LANES) unit(n, false);
#endif
}
