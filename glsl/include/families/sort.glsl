// Rows of keys, and of the places that these had in their row at first. Keys are KEY_WORDS words, 1
// or 2, of which the second counts for more. Rows are `extent` elements, and start `pitch` elements
// apart, a multiple of 4. An invocation holds HELD of them, a power of two.
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
#define LAST 0xffffffffu  // of keys and of places: what there is none of sorts behind all else

KEY key[HELD];
uint place[HELD];

bool key_less(uint a, uint b) { return a < b; }
bool key_less(uvec2 a, uvec2 b) { return a.y < b.y || a.y == b.y && a.x < b.x; }

// A step of a bitonic network: of each `2 * span` elements, the first half are compared with those
// whose numbers differ from theirs by the bits `other`. Equal keys go by their places.
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
