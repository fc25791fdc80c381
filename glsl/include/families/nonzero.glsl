// What searches for nonzero elements share: which elements count, and where indexes of WORDS words each go or, if
// SELECTS is defined, elements of another tensor, `step` apart.
#define SOURCES 1
#define FROM push.src_base
#ifdef SELECTS
#define BASES src_base, carry_base, values_base, dst_base
#define MAX_RANK 7
#define EXTRA uint step;
#define DST 3
#else
#define BASES src_base, carry_base, dst_base
#define MAX_RANK 8
#define EXTRA
#define DST 2
#endif
#include "index/index.glsl"
#include "index/row.glsl"
#include "types/element.glsl"

layout(constant_id = 8) const uint TYPE = BOOL;
layout(constant_id = 9) const bool COUNTS = true;
layout(constant_id = 10) const bool SRC_QUADS = false;  // one row, which starts at a quad

layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 0) readonly buffer SrcQuads { uvec4 src_quads[]; };
layout(binding = 1) readonly buffer Carry { uint carry[]; };  // the number before each unit
#ifdef SELECTS
layout(binding = 2) readonly buffer Values { T values[]; };
#define WIDENED(number) T(number)
#elif WORDS == 2
#define T uvec2
#define WIDENED(number) uvec2(number, 0)
#else
#define T uint
#define WIDENED(number) (number)
#endif
layout(binding = DST) writeonly buffer Dst { T dst[]; };

DEFINE_ELEMENT(src_element, src)

// A mask of the bits in a word that make an element nonzero: all but the signs of floats.
uint counts_of(uint type) {
    if (type == FLOAT16) return 0x7fff7fffu;
    return type == FLOAT32 || type == FLOAT64 ? 0x7fffffffu : 0xffffffffu;
}

bool is_nonzero(uint at) {
    uvec2 bits = src_element(at, TYPE);
    uint top = (bits_of(TYPE) == 64 ? bits.y : bits.x) & counts_of(TYPE);
    return (bits_of(TYPE) == 64 ? top | bits.x : top) != 0;
}

// A bit for each element in a word, of 8 or 16 bits.
uint bits_in(uint word) {
    word &= counts_of(TYPE);
    if (bits_of(TYPE) == 16) return uint((word & 0xffffu) != 0) | uint(word >> 16 != 0) << 1;
    // Set the top bit of each nonzero byte, then collect these bits.
    uint tops = ((word & 0x7f7f7f7fu) + 0x7f7f7f7fu | word) & 0x80808080u;
    uint pairs = tops >> 7 | tops >> 14;
    return pairs & 3 | pairs >> 14 & 12;
}

// A bit for each element in a quad.
uint bits_of_quad(uvec4 quad) {
    uint bits = bits_of(TYPE), mask = counts_of(TYPE), found = 0;
    if (bits == 64) {
        bvec2 nonzero = notEqual(quad.xz | quad.yw & mask, uvec2(0));
        return uint(nonzero.x) | uint(nonzero.y) << 1;
    }
    [[unroll]] for (uint k = 0; k < 4; k++)
        found |= (bits == 32 ? uint((quad[k] & mask) != 0) : bits_in(quad[k])) << k * (32 / bits);
    return found;
}
