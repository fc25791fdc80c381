// The order of elements of the dtype A_TYPE, and which elements of windows are in the padding.
const int NAN_KEY = 0x7fffffff;  // of floats

// The elements of a row of windows that starts at `from`: those before `first_inside` lie before src, those
// from `first_beyond` on behind `end`.
uint first_inside(uint from, uint dilation) { return int(from) < 0 ? (dilation - from - 1) / dilation : 0; }
uint first_beyond(uint from, uint dilation, uint end, uint most) {
    if (int(end - from) <= 0) return 0;
    return min(most, (end - from + dilation - 1) / dilation);
}

// Elements as integers in the same order; -0 equals 0, and NaN is above everything.
int key_of(uint raw) {
    if (A_TYPE == UINT32) return int(raw ^ 0x80000000u);
    if (is_signed_int(A_TYPE)) return int(raw << 32 - bits_of(A_TYPE)) >> 32 - bits_of(A_TYPE);
    if (A_TYPE < FLOAT16) return int(raw);
    uint top = raw << 32 - bits_of(A_TYPE), magnitude = top & 0x7fffffffu;
    int key = int(top) < 0 ? -int(magnitude) : int(magnitude);
    return magnitude > (A_TYPE == FLOAT16 ? 0x7c000000u : 0x7f800000u) ? NAN_KEY : key;
}

// What is below or equal to all others.
uint lowest() {
    if (A_TYPE == FLOAT32) return 0xff800000u;
    if (A_TYPE == FLOAT16) return 0xfc00u;
    return is_signed_int(A_TYPE) ? 1u << bits_of(A_TYPE) - 1 : 0;
}
