// Passes of a radix sort by workgroups, whose invocations each take up to K elements of a tile. Those side by side
// read and write elements that are side by side in memory.
#define TEAM
#define K 15  // odd, so that invocations that read K adjacent words of shared memory use all of its banks
#include "families/radix.glsl"

layout(binding = 0) readonly buffer Src { uint src_words[]; };
#if BITS == 64
layout(binding = 0) readonly buffer SrcPairs { uvec2 src_pairs[]; };
#endif

// The element of a row, which starts at a quad.
uvec2 raw_at(uint quad, uint i) {
#if BITS == 64
    return src_pairs[2 * quad + i];
#else
    const uint in_word = 32 / BITS;
    uint word = src_words[4 * quad + i / in_word];
    return uvec2(BITS == 32 ? word : word >> i % in_word * BITS & (1u << BITS % 32) - 1, 0);
#endif
}
