// Numbers computed from a stream of random words, with six words of parameters, `told`. The includer
// defines `uvec4 drawn(uint n)`, the elements from block counter + n: of BITS bits, four if each takes one
// word (EACH is 1), two if it takes two.
#define BASES dst_base
#define FROM push.index_base
#define MAX_RANK 4
#define EXTRA uint index_base, counter[4], key[2], told[6];
#include "index/index.glsl"
#include "math/philox.glsl"

uvec2 stream_key() { return uvec2(push.key[0], push.key[1]); }

uvec4 counter_of(uint n) {
    uvec4 first = uvec4(push.counter[0], push.counter[1], push.counter[2], push.counter[3]);
    return counter_add(first, n);
}

uvec4 block(uint n) { return philox(counter_of(n), stream_key()); }

uvec2 told_pair(uint k) { return uvec2(push.told[k], push.told[k + 1]); }
