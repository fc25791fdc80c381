// The bits of an element of `words`, an array in memory: the lower word first, zeros above.
#ifndef ELEMENT_HEAD
#define ELEMENT_HEAD
#include "types/types.glsl"

#define DEFINE_ELEMENT(name, words)                                              \
    uvec2 name(uint at, uint type) {                                             \
        uint bits = bits_of(type);                                               \
        if (bits == 64) return uvec2(words[2 * at], words[2 * at + 1]);          \
        if (bits == 32) return uvec2(words[at], 0);                              \
        uint place = at % (32 / bits) * bits;                                    \
        return uvec2(words[at / (32 / bits)] >> place & (1u << bits) - 1, 0);    \
    }
#endif
