// Rows of keys, with the places that they had in their row before sorting. A key has KEY_WORDS words, 1 or
// 2, the high one last. Rows have `extent` elements, and start `pitch` elements apart, a multiple of 4. An
// invocation holds HELD keys, a power of two.
#define MAX_RANK 1
#define EXTRA uint pitch, run, chunk;
#include "index/index.glsl"

#if KEY_WORDS == 2
#define KEY uvec2
#define GET(quad, k) uvec2(quad[2 * (k)], quad[2 * (k) + 1])
#define PUT(quad, k, key) quad[2 * (k)] = (key).x, quad[2 * (k) + 1] = (key).y
#else
#define KEY uint
#define GET(quad, k) quad[k]
#define PUT(quad, k, key) quad[k] = key
#endif
#define BLOCK 16
#define PER (4 / KEY_WORDS)  // keys in a quad
#define LAST 0xffffffffu  // as a key and as a place: missing elements come after all others

KEY key[HELD];
uint place[HELD];

bool key_less(uint a, uint b) { return a < b; }
bool key_less(uvec2 a, uvec2 b) { return a.y < b.y || a.y == b.y && a.x < b.x; }

// A step of a bitonic network: of each `2 * span` elements, each one of the first half is compared with the
// one whose number differs from its own in the bits `other`. Equal keys are ordered by their places.
void compare(uint span, uint other) {
    [[unroll]] for (uint n = 0; n < HELD / 2; n++) {
        uint i = n / span * 2 * span + n % span, k = i ^ other;
        KEY a = key[i], b = key[k];
        uint p = place[i], q = place[k];
        bool turn = key_less(b, a) || a == b && q < p;
        key[i] = turn ? b : a;
        key[k] = turn ? a : b;
        place[i] = turn ? q : p;
        place[k] = turn ? p : q;
    }
}
