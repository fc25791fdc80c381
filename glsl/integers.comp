#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Uniform integers of a range without bias: the high half of word * range, where words of b bits with a low
// half below 2^b mod range are rejected (Lemire, "Fast random integer generation in an interval", 2019). A
// rejected word is replaced by the same word of the same block under the next key. The parameters are
// range - 1, the least low half that is accepted, and the least integer, two words each.
#include "families/philox_draw.glsl"
#include "math/long.glsl"

const uvec2 KEY_STEP = uvec2(0x5f1d36f1u, 0xa54ff53au);  // the fraction of sqrt(7)

#if EACH == 1
uvec4 offsets(uvec4 words, out uvec4 low) {
    uvec4 high, carry;
    umulExtended(words, uvec4(push.told[0]), high, low);
    low = uaddCarry(low, words, carry);
    return high + carry;
}

uvec4 refused(uvec4 low) { return uvec4(lessThan(low, uvec4(push.told[2]))); }
#else
uvec2 long_offset(uvec2 word, uvec2 most, out uvec2 low) {
    uvec2 first = long_add(long_product(word.x, most.x), uvec2(word.x, 0));
    uvec2 middle = long_add(long_product(word.x, most.y), uvec2(first.y, 0));
    uvec2 cross = long_add(long_product(word.y, most.x), uvec2(middle.x, 0));
    cross = long_add(cross, uvec2(word.y, 0));
    low = uvec2(first.x, cross.x);
    uvec2 high = long_add(long_product(word.y, most.y), uvec2(middle.y, 0));
    return long_add(high, uvec2(cross.y, 0));
}

uvec4 offsets(uvec4 words, out uvec4 low) {
    uvec2 first, second, most = told_pair(0);
    uvec4 high = uvec4(long_offset(words.xy, most, first), long_offset(words.zw, most, second));
    low = uvec4(first, second);
    return high;
}

uvec4 refused(uvec4 low) {
    uvec2 least = told_pair(2);
    return uvec2(long_less(low.xy, least, false), long_less(low.zw, least, false)).xxyy;
}
#endif

// A loop whose first iteration is for all words; it goes on while any word is rejected.
uvec4 chosen(uint n) {
    uvec4 counter = counter_of(n), found = uvec4(0), left = uvec4(1), low;
    uvec2 key = stream_key();
    do {
        uvec4 high = offsets(philox(counter, key), low);
        found += left * (high - found);
        left *= refused(low);
        key = long_add(key, KEY_STEP);
    } while (left != uvec4(0));
    return found;
}

#if EACH == 2
uvec4 drawn(uint n) {
    uvec4 found = chosen(n);
    uvec2 least = told_pair(4);
    return uvec4(long_add(found.xy, least), long_add(found.zw, least));
}
#elif BITS == 64
uvec2 widened(uint drawn) { return long_add(uvec2(drawn, 0), told_pair(4)); }
uvec4 drawn(uint n) { return chosen(n); }
#else
// Only the low BITS are kept.
uvec4 drawn(uint n) { return chosen(n) + push.told[4] & 0xffffffffu >> 32 - BITS; }
#endif
#include "families/philox_drawn.glsl"
