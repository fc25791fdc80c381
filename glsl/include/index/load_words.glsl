// Copies of elements of whole words, from memory or computed from an index: the includer defines
// `T load(uint at)`, and `uvec4 load_quad(uint at)` for a quad that starts at a multiple of 16 bytes.
#include "index/words.glsl"

T make(PLACE at) { return load(at.x); }

T still;  // the element that a row with step 0 repeats

void start_row(PLACE at) {
    if (step_of(0) == 0) still = load(at.x);
}

uvec4 make_quad(PLACE at) {
    if (step_of(0) == 1 && SRC_QUADS == 1) return load_quad(at.x);
    uvec4 quad;
    [[unroll]] for (uint k = 0; k < PER; k++) {
        PUT(quad, k, step_of(0) == 0 ? still : load(at.x + k * row_step().x));
    }
    return quad;
}
