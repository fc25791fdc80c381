// How what is `drawn` gets into memory; then `main`. Where elements of 64 bits take one word each, the
// includer also defines `uvec2 widened(uint drawn)`.
uvec4 drawn(uint n);

#if BITS == 64
#define T uvec2
#define WORDS 2
#if EACH == 2
uvec2 load(uint i) {
    uvec4 both = drawn(i / 2);
    return i % 2 == 0 ? both.xy : both.zw;
}
uvec4 load_quad(uint i) { return drawn(i / 2); }
#else
uvec2 widened(uint drawn);
uvec2 load(uint i) { return widened(drawn(i / 4)[i % 4]); }
uvec4 load_quad(uint i) {
    uvec4 four = drawn(i / 4);
    uvec2 two = i % 4 == 0 ? four.xy : four.zw;
    return uvec4(widened(two.x), widened(two.y));
}
#endif
#elif BITS == 32
#define T uint
#define WORDS 1
uint load(uint i) { return drawn(i / 4)[i % 4]; }
uvec4 load_quad(uint i) { return drawn(i / 4); }
#else
uint load(uint i) { return drawn(i / 4)[i % 4]; }
#if BITS == 16
uvec2 load_four(uint i) {
    uvec4 four = drawn(i / 4);
    return uvec2(four.x | four.y << 16, four.z | four.w << 16);
}
uvec4 load_quad(uint i) { return uvec4(load_four(i), load_four(i + 4)); }
#else
uint load_four(uint i) {
    uvec4 four = drawn(i / 4);
    return four.x | four.y << 8 | four.z << 16 | four.w << 24;
}
uvec4 load_quad(uint i) {
    return uvec4(load_four(i), load_four(i + 4), load_four(i + 8), load_four(i + 12));
}
#endif
#endif

#define DST 0
#if BITS < 32
#include "load_packed_head.glsl"
#else
#include "load_words_head.glsl"
#endif

void main() { run(); }
