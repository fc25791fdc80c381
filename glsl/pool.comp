#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Pooling: an element of dst is made from the elements of src in a window. The spatial dims of src are none of
// the dims here: the second source has no memory, its addresses are positions, linear indexes of windows. A
// launch takes a box of each window's elements; a further one continues with what it finds in dst, its prior.
#define SOURCES 2
#define BASES src_base, prior_base, dst_base
#define FROM push.src_base, POSITION
#define MAX_RANK 3
#define EXTRA uint scalars[11];
#define DST 2
// Of the spatial dims, innermost first: the size and the stride of src, and how many windows there are.
#define POSITION push.scalars[0]  // of the first element
#define FIRST push.scalars[1]     // element of the box, counted through the window
#define SIZE(k) push.scalars[2 + k]
#define STEP(k) push.scalars[5 + k]
#define WINDOWS(k) push.scalars[8 + k]
#include "index/index.glsl"
#if BITS < 32
#include "index/packed.glsl"
#define T uint
#else
#include "index/words.glsl"
#endif
#include "families/pool.glsl"

#define VALUE uint
#define SCALARS 0
struct Values {
    uint at[PER];
};
uint to_value(uvec2 words) { return words.x; }
uint decode(uvec2 raw, uint type) { return raw.x; }
#define SOURCE 0
#define SOURCE_TYPE A_TYPE
#define NAMED(name) x_##name
#include "families/source.glsl"
layout(binding = 1) readonly buffer Prior { uint prior[]; };

uint prior_bits(uint at) {
#if BITS < 32
    return prior[at / PER_WORD] >> at % PER_WORD * BITS & ONE;
#else
    return prior[at * (BITS / 32)];
#endif
}

#define WIDTH 1
#define NAMED(name) single_##name
#include "families/pool_window.glsl"
#define WIDTH PER
#define NAMED(name) shared_##name
#include "families/pool_window.glsl"

T element_of(uint k) {
#if BITS == 64
    return uvec2(places[k], places[k] == NONE ? NONE : 0);
#else
    return results[k];
#endif
}

T make(PLACE at) {
    single_pool(at);
    return element_of(0);
}

void start_row(PLACE at) {}

#if BITS < 32
uvec4 make_quad(PLACE row, uint quad, uint phase, bool whole, uvec4 mask) {
    if (!whole) return gathered_quad(row, quad, phase, mask);
    PLACE at = row + (quad * PER - phase) * row_step();
    uvec4 made = uvec4(0);
    if (step_of(1) == 0) shared_pool(at);
    [[unroll]] for (uint k = 0; k < PER; k++) {
        uint element = step_of(1) == 0 ? results[k] : make(at + k * row_step());
        made[k / PER_WORD] |= element << k % PER_WORD * BITS;
    }
    return made;
}
#else
uvec4 make_quad(PLACE at) {
    uvec4 quad;
    if (step_of(1) == 0) shared_pool(at);
    [[unroll]] for (uint k = 0; k < PER; k++) {
        if (step_of(1) == 0) {
            PUT(quad, k, element_of(k));
        } else {
            PUT(quad, k, make(at + k * row_step()));
        }
    }
    return quad;
}
#endif

void main() {
    [[unroll]] for (uint k = 0; k < 2; k++) windows_reciprocals[k] = 0xffffffffu / WINDOWS(k);
    run();
}
