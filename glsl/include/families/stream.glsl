// A stream of random words: word i is word i % 4 of block counter + i / 4. The state is in the push block
// or, if FROM_BUFFER, in a buffer: six words, counter[0] apart.
#define BASES state_base, dst_base
#define FROM push.index_base
#define MAX_RANK 6
#define EXTRA uint index_base, counter[4], key[2];
#include "index/index.glsl"
#include "math/philox.glsl"

layout(binding = 0) readonly buffer State { uint state[]; };

uvec4 first_block;
uvec2 stream_key;

uint state_word(uint k) { return state[push.state_base + k * push.counter[0]]; }

void read_state(bool from_buffer) {
    first_block = uvec4(push.counter[0], push.counter[1], push.counter[2], push.counter[3]);
    stream_key = uvec2(push.key[0], push.key[1]);
    if (from_buffer) {
        first_block = uvec4(state_word(0), state_word(1), state_word(2), state_word(3));
        stream_key = uvec2(state_word(4), state_word(5));
    }
}

uvec4 block(uint n) { return philox(counter_add(first_block, n), stream_key); }
