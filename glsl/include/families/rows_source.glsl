// Rows, which a launch reads, reduces to a pair of numbers each, and finishes: elements, weight and bias, and the
// result. Dim 0 runs along a part of a row, dim 1 over its parts, and the others over rows.
#define SOURCES 3
#define BASES a_base, b_base, c_base, dst_base
#define FROM push.a_base, push.b_base, push.c_base
#define MAX_RANK 4
#define EXTRA uint scalars[3];
#define DST 3
#include "index/index.glsl"
#include "index/row.glsl"

layout(constant_id = 8) const uint SRC_QUADS = 0;  // a bit for each source: parts start at quads
layout(constant_id = 9) const bool DST_QUADS = false;  // the same for dst, and parts consist of quads
layout(constant_id = 10) const uint OP = 0;       // the pair
layout(constant_id = 11) const uint FINISH = 0;   // what is made of an element and it
layout(constant_id = 12) const uint AFTER = 0;    // an activation, or 0
layout(constant_id = 13) const uint SCALARS = 0;  // a bit for each source that is missing
layout(constant_id = 14) const uint TYPE = FLOAT32;  // of dst and the elements
layout(constant_id = 15) const uint B_TYPE = FLOAT32;
layout(constant_id = 16) const uint C_TYPE = FLOAT32;
layout(constant_id = 17) const uint EPS = 0;
layout(constant_id = 18) const bool GAPS = true;  // the last chunk of a part is not full
layout(constant_id = 19) const uint TIERS = 3;    // of the tree of chunks
layout(constant_id = 20) const bool PARTS = false;   // a row has several
layout(constant_id = 21) const bool JOINED = false;  // parts, not rows, are taken four at a time
layout(constant_id = 22) const uint MEMBERS = 1;       // of a team: invocations per row, a power of two
layout(constant_id = 23) const uint PART_MEMBERS = 1;  // and per part of it, likewise

layout(binding = DST) writeonly buffer Dst { uint dst[]; };
layout(binding = DST) writeonly buffer DstQuads { uvec4 dst_quads[]; };

#define PER (128 / BITS)  // elements of a quad
struct Values {
    float at[PER];
};
#define SOURCE 0
#define SOURCE_TYPE TYPE
#define NAMED(name) a_##name
#include "families/source.glsl"
#define SOURCE 1
#define SOURCE_TYPE B_TYPE
#define NAMED(name) b_##name
#include "families/source.glsl"
#define SOURCE 2
#define SOURCE_TYPE C_TYPE
#define NAMED(name) c_##name
#include "families/source.glsl"
#undef VALUE
