// Copies of packed elements, from memory or computed from an index: the includer defines
// `uint load(uint at)`, and `uvec4 load_quad(uint at)` for a quad that starts at a multiple of 16 bytes.
#include "index/packed.glsl"

const uint EVERY = 0xffffffffu / ONE;  // times an element: the element in all places of a word

uint make(PLACE at) { return load(at.x); }

// A quad of a row that is contiguous in src too, shifted together from two quads of src. It reads no
// quads but those that contain elements of the row.
uvec4 shifted_quad(uint src_row, uint quad, uint phase) {
    uint start = src_row % PER, last = (start + extent - 1) / PER, by = (start - phase) % PER;
    int from = int(quad) - int(start < phase);
    uint at = src_row - start;
    uvec4 low = load_quad(at + clamp(from, 0, int(last)) * PER);
    if (SRC_QUADS == 1) return low;
    uvec4 high = load_quad(at + clamp(from + 1, 0, int(last)) * PER);
    uint shift = by % PER_WORD * BITS, next = high.x;
    if ((by / PER_WORD & 2) != 0) {
        next = high.z;
        low = uvec4(low.zw, high.xy);
        high = high.zwzw;
    }
    if ((by / PER_WORD & 1) != 0) {
        low = uvec4(low.yzw, high.x);
        next = high.y;
    }
    uvec4 above = uvec4(low.yzw, next);
    return shift == 0 ? low : low >> shift | above << 32 - shift;
}

uvec4 make_quad(PLACE row, uint quad, uint phase, bool whole, uvec4 mask) {
    if (step_of(0) == 0) return uvec4(load(row.x) * EVERY);
    if (step_of(0) == 1) return shifted_quad(row.x, quad, phase);
    return gathered_quad(row, quad, phase, mask);
}
