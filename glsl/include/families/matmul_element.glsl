// One source of a product: reading its elements one by one. The includer defines its number SOURCE,
// SOURCE_TYPE, and NAMED, which prefixes its names.

layout(binding = SOURCE) readonly buffer NAMED(Words) { uint NAMED(words)[]; };

VALUE NAMED(element)(uint at) {
    uint bits = bits_of(SOURCE_TYPE);
    if (bits == 64)
        return decode(uvec2(NAMED(words)[2 * at], NAMED(words)[2 * at + 1]), SOURCE_TYPE);
    uint word = NAMED(words)[at / (32 / bits)];
    if (bits < 32) word = word >> at % (32 / bits) * bits & (1u << bits) - 1;
    return decode(uvec2(word, 0), SOURCE_TYPE);
}
