// Elements that are loaded, from memory or from wherever an index leads: the includer defines
// `T load(uint at)`, and `uvec4 load_quad(uint at)` for a quad that starts at a multiple of 16 bytes.
#include "words_head.glsl"

T make(PLACE at) { return load(at.x); }

uvec4 make_quad(PLACE at) {
    if (step_of(0) == 1 && SRC_QUADS == 1) return load_quad(at.x);
    uint by = row_step().x;
    T first = load(at.x);
    uvec4 quad;
    PUT(quad, 0, first);
    for (uint k = 1; k < PER; k++) { PUT(quad, k, step_of(0) == 0 ? first : load(at.x + k * by)); }
    return quad;
}
