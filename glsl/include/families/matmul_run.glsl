// Four elements of a source at once: see matmul_element.glsl, which is included before.
layout(binding = SOURCE) readonly buffer NAMED(Quads) { uvec4 NAMED(quads)[]; };

// Four elements that start at a multiple of four.
VALUE[4] NAMED(run)(uint at) {
    VALUE run[4];
    uint bits = bits_of(SOURCE_TYPE), word = 0;
    uvec4 quad = uvec4(0);
    if (bits == 32) quad = NAMED(quads)[at / 4];
    [[unroll]] for (uint j = 0; j < 4; j++) {
        uint bit = j * bits % 32;
        if (bits < 32 && bit == 0) word = NAMED(words)[(at + j) / (32 / bits)];
        uint raw = bits < 32 ? word >> bit & (1u << bits) - 1 : quad[j];
        run[j] = decode(uvec2(raw, 0), SOURCE_TYPE);
    }
    return run;
}
