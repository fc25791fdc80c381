#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The elements of dst, one after the other, each from the source element that was elected its last writer, if
// any was. A unit is a quad of dst, which starts at one; where a quad is not whole, its words are written.
#define SOURCES 2
#define BASES owner_base, index_base, src_base, dst_base
#define FROM push.owner_base, push.src_base
#define MAX_RANK 1
#define EXTRA uint src_step;
#include "index/index.glsl"

#if BITS < 32
#define T uint
#define PER_WORD (32 / BITS)
#define WORDS 1
#else
#define PER_WORD 1
#endif
#define PER (4 / WORDS * PER_WORD)
layout(binding = 0) readonly buffer Owner { uvec4 owners[]; };
layout(binding = 1) readonly buffer Index { uint index[]; };  // only its base matters
layout(binding = 2) readonly buffer Src { T src[]; };
layout(binding = 3) buffer Dst { uvec4 dst[]; };
layout(binding = 3) buffer DstWords { uint dst_words[]; };

void unit(uint n, bool whole) {
    uvec4 made = dst[bases.z + n], four;
    [[unroll]] for (uint k = 0; k < PER; k++) {
        if (k % 4 == 0) four = owners[bases.x + (n * PER + k) / 4];
        uint writer = four[(n * PER + k) % 4];
        bool wins = writer != 0;
        // Read even if there is none: a CPU executes both sides of a branch.
        uint at = bases.y + (wins ? writer - 1 - push.index_base : 0) * push.src_step;
#if BITS < 32
        uint shift = k % PER_WORD * BITS, mask = (1u << BITS) - 1;
        uint value = src[at / PER_WORD] >> at % PER_WORD * BITS & mask;
        uint old = made[k / PER_WORD];
        made[k / PER_WORD] = wins ? old & ~(mask << shift) | value << shift : old;
#elif WORDS == 1
        made[k] = wins ? src[at] : made[k];
#elif WORDS == 2
        uvec2 value = src[at];
        made[2 * k] = wins ? value.x : made[2 * k];
        made[2 * k + 1] = wins ? value.y : made[2 * k + 1];
#else
        made = wins ? src[at] : made;
#endif
    }
    if (whole)
        dst[bases.z + n] = made;
    else
        [[unroll]] for (uint k = 0; k < 4; k++)
            if (4 * n + k < extent) dst_words[4 * (bases.z + n) + k] = made[k];
}

void main() { run(); }
