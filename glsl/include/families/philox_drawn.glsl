// Writing what `drawn` returns to memory, and `main`. If elements of 64 bits take one word each, the
// includer also defines `uvec2 widened(uint drawn)`. There are few calls of `drawn`, since drivers inline
// each of them, and it is long to compile.
uvec4 drawn(uint n);

#define DST 0
#if BITS < 32
#include "index/packed.glsl"

#if BITS == 16
#define FOUR uvec2
#define PUSH(quad, four) uvec4(quad.zw, four)

FOUR joined(uvec4 four) { return uvec2(four.x | four.y << 16, four.z | four.w << 16); }

// Four elements, from number `by` of the eight on.
FOUR shifted(FOUR four, FOUR next, uint by) {
    uvec3 words = by < 2 ? uvec3(four, next.x) : uvec3(four.y, next);
    return by % 2 == 0 ? words.xy : words.xy >> 16 | words.yz << 16;
}
#else
#define FOUR uint
#define PUSH(quad, four) uvec4(quad.yzw, four)

FOUR joined(uvec4 four) { return four.x | four.y << 8 | four.z << 16 | four.w << 24; }

FOUR shifted(FOUR four, FOUR next, uint by) {
    return by == 0 ? four : four >> 8 * by | next << 32 - 8 * by;
}
#endif

uint make(PLACE at) { return drawn(at.x / 4)[at.x % 4]; }

// Places of a quad outside of the row are computed too, since no memory is read; blocks count modulo 2^30.
uvec4 make_quad(PLACE row, uint quad, uint phase, bool whole, uvec4 mask) {
    if (step_of(0) != 1) return gathered_quad(row, quad, phase, mask);
    uint start = row.x + quad * PER - phase, late = SRC_QUADS == 1 ? 0 : 1;
    uvec4 made = uvec4(0);
    FOUR four = FOUR(0);
    for (uint k = 0; k < PER / 4 + late; k++) {
        FOUR next = joined(drawn(start / 4 + k & 0x3fffffffu));
        made = PUSH(made, late == 0 ? next : shifted(four, next, start % 4));
        four = next;
    }
    return made;
}
#else
#if BITS == 32
#define T uint
#define WORDS 1
uint load(uint i) { return drawn(i / 4)[i % 4]; }
uvec4 load_quad(uint i) { return drawn(i / 4); }
#elif EACH == 2
#define T uvec2
#define WORDS 2
uvec2 load(uint i) {
    uvec4 both = drawn(i / 2);
    return i % 2 == 0 ? both.xy : both.zw;
}
uvec4 load_quad(uint i) { return drawn(i / 2); }
#else
#define T uvec2
#define WORDS 2
uvec2 widened(uint drawn);
uvec2 load(uint i) { return widened(drawn(i / 4)[i % 4]); }
uvec4 load_quad(uint i) {
    uvec4 four = drawn(i / 4);
    uvec2 two = i % 4 == 0 ? four.xy : four.zw;
    return uvec4(widened(two.x), widened(two.y));
}
#endif
#include "index/load_words.glsl"
#endif

void main() { run(); }
