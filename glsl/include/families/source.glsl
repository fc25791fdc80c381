// One source of an elementwise kernel: its elements are read one by one, or as many at once as a quad of dst
// has. The includer defines its number SOURCE, SOURCE_TYPE, and NAMED, which prefixes its names.

#ifndef RAW
// The bits of an element, the lowest word first: with WIDE up to 128.
#ifdef WIDE
#define RAW uvec4
#define AS_RAW(low, high) uvec4(low, high, 0, 0)
#else
#define RAW uvec2
#define AS_RAW(low, high) uvec2(low, high)
#endif
#endif

layout(binding = SOURCE) readonly buffer NAMED(Words) { uint NAMED(words)[]; };
layout(binding = SOURCE) readonly buffer NAMED(Pairs) { uvec2 NAMED(pairs)[]; };
layout(binding = SOURCE) readonly buffer NAMED(Quads) { uvec4 NAMED(quads)[]; };

bool NAMED(is_scalar)() { return (SCALARS >> SOURCE & 1) != 0; }

VALUE NAMED(scalar)() {
    // The third source's scalar starts a word after the second's: if both are scalars, each has one word.
    RAW words = AS_RAW(push.scalars[SOURCE / 2], push.scalars[SOURCE / 2 + 1]);
#if defined(WIDE) && SOURCES < 3
    words.zw = uvec2(push.scalars[2], push.scalars[3]);
#endif
    return to_value(words);
}

VALUE NAMED(element_at)(uint at) {
    uint bits = bits_of(SOURCE_TYPE);
#ifdef WIDE
    if (bits == 128) return decode(NAMED(quads)[at], SOURCE_TYPE);
#endif
    if (bits == 64) {
        uvec2 pair = NAMED(pairs)[at];
        return decode(AS_RAW(pair.x, pair.y), SOURCE_TYPE);
    }
    if (bits == 32) return decode(AS_RAW(NAMED(words)[at], 0), SOURCE_TYPE);
    uint word = NAMED(words)[at / (32 / bits)];
    return decode(AS_RAW(word >> at % (32 / bits) * bits & (1u << bits) - 1, 0), SOURCE_TYPE);
}

VALUE NAMED(element)(PLACE place) {
    if (NAMED(is_scalar)()) return NAMED(scalar)();
    return NAMED(element_at)(place[SOURCE]);
}

Values NAMED(same)(VALUE value) {
    Values values;
    [[unroll]] for (uint k = 0; k < PER; k++) values.at[k] = value;
    return values;
}

// PER elements; the address is that of a quad, or of as many bytes as they take.
Values NAMED(run)(uint at) {
    Values values;
#if defined(WIDE) && BITS == 128  // one element
    values.at[0] = NAMED(element_at)(at);
    return values;
#endif
    uint bits = bits_of(SOURCE_TYPE);
    // Not one loop with a word kept across iterations, which SwiftShader cannot compile.
    if (PER * bits >= 128) {
        uint per = 128 / bits;
        [[unroll]] for (uint q = 0; q < PER / per; q++) {
            uvec4 quad = NAMED(quads)[at / per + q];
            [[unroll]] for (uint k = 0; k < per; k++) {
                uint bit = k * bits, word = quad[bit / 32];
                RAW raw = AS_RAW(bits < 32 ? word >> bit % 32 & (1u << bits) - 1 : word, 0);
                if (bits == 64) raw.y = quad[bit / 32 + 1];
#ifdef WIDE
                if (bits == 128) raw = quad;
#endif
                values.at[q * per + k] = decode(raw, SOURCE_TYPE);
            }
        }
    } else {
        uint per = min(PER, 32 / bits);
        [[unroll]] for (uint w = 0; w < PER / per; w++) {
            uint word = NAMED(words)[at / (32 / bits) + w];
            [[unroll]] for (uint k = 0; k < per; k++) {
                // If a word has more elements than PER, they may start in its middle.
                uint bit = (PER * bits < 32 ? at + k : k) * bits % 32;
                uint raw = bits < 32 ? word >> bit & (1u << bits) - 1 : word;
                values.at[w * per + k] = decode(AS_RAW(raw, 0), SOURCE_TYPE);
            }
        }
    }
    return values;
}

#ifdef TILE
Tile NAMED(tile)(PLACE at, uint down) {
    Tile tile;
    if (NAMED(is_scalar)()) {
        [[unroll]] for (uint i = 0; i < PER; i++) tile.rows[i] = NAMED(same)(NAMED(scalar)());
    } else if (read_of(SOURCE) == BY_QUADS) {
        [[unroll]] for (uint k = 0; k < ACROSS; k++) {
            Values column = NAMED(run)(at[SOURCE] + k * strides[0][SOURCE] + down);
            [[unroll]] for (uint i = 0; i < PER; i++) tile.rows[i].at[k] = column.at[i];
        }
    } else
        [[unroll]] for (uint i = 0; i < PER; i++) {
            // Past the end of the dim, read the last element again.
            uint element = RAGGED ? min(down + i, sizes[1] - 1) : down + i;
            PLACE start = at + element * strides[1];
            if (read_of(SOURCE) == BY_PIECES)
                tile.rows[i] = NAMED(run)(start[SOURCE]);
            else
                [[unroll]] for (uint k = 0; k < ACROSS; k++) tile.rows[i].at[k] = NAMED(element)(start + k * strides[0]);
        }
    return tile;
}
#else
VALUE NAMED(still);  // the element that a row with step 0 repeats

bool NAMED(is_still)() { return NAMED(is_scalar)() || step_of(SOURCE) == 0; }

void NAMED(start)(PLACE at) {
    if (NAMED(is_still)()) NAMED(still) = NAMED(element)(at);
}

// PER elements smaller than words from any address, shifted together from pairs of words.
Values NAMED(shifted)(uint at) {
    Values values;
    uint bits = bits_of(SOURCE_TYPE), per = 32 / bits, by = at % per * bits, word;
    uint last = (at + PER - 1) / per, next = NAMED(words)[at / per];
    for (uint k = 0; k < PER; k++) {
        uint bit = k * bits % 32;
        if (bit == 0) {
            word = next >> by;
            next = NAMED(words)[min((at + k) / per + 1, last)];
            word |= next << 1 << 31 - by;
        }
        values.at[k] = decode(AS_RAW(word >> bit & (1u << bits) - 1, 0), SOURCE_TYPE);
    }
    return values;
}

// PER elements along a row that is one dim.
Values NAMED(row)(PLACE at) {
    if (NAMED(is_still)()) return NAMED(same)(NAMED(still));
    if (step_of(SOURCE) == 1) {
        if ((SRC_QUADS >> SOURCE & 1) != 0) return NAMED(run)(at[SOURCE]);
        if (bits_of(SOURCE_TYPE) < 32) return NAMED(shifted)(at[SOURCE]);
    }
    Values values;
    for (uint k = 0; k < PER; k++) values.at[k] = NAMED(element)(at + k * row_step());
    return values;
}
#endif
#undef SOURCE
#undef SOURCE_TYPE
#undef NAMED
