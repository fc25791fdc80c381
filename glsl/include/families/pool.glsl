// Windows over up to three spatial dims, innermost first, and what is kept of the elements read so far.
#if BITS == 16 || BITS == 32  // otherwise dst has no sums
#include "math/power.glsl"
#endif
#include "types/half.glsl"
#include "types/types.glsl"

layout(constant_id = NEXT_SPEC) const uint OP = 0;
layout(constant_id = NEXT_SPEC + 1) const uint TYPE = FLOAT32;    // of dst
layout(constant_id = NEXT_SPEC + 2) const uint A_TYPE = FLOAT32;  // of src
layout(constant_id = NEXT_SPEC + 3) const uint SPATIAL = 2;       // dims
layout(constant_id = NEXT_SPEC + 4) const uint KERNEL_0 = 1;
layout(constant_id = NEXT_SPEC + 5) const uint KERNEL_1 = 1;
layout(constant_id = NEXT_SPEC + 6) const uint KERNEL_2 = 1;
layout(constant_id = NEXT_SPEC + 7) const uint BOX_0 = 1;  // the part of each window that this launch takes
layout(constant_id = NEXT_SPEC + 8) const uint BOX_1 = 1;
layout(constant_id = NEXT_SPEC + 9) const uint BOX_2 = 1;
layout(constant_id = NEXT_SPEC + 10) const uint STRIDE_0 = 1;
layout(constant_id = NEXT_SPEC + 11) const uint STRIDE_1 = 1;
layout(constant_id = NEXT_SPEC + 12) const uint STRIDE_2 = 1;
layout(constant_id = NEXT_SPEC + 13) const uint DILATION_0 = 1;
layout(constant_id = NEXT_SPEC + 14) const uint DILATION_1 = 1;
layout(constant_id = NEXT_SPEC + 15) const uint DILATION_2 = 1;
layout(constant_id = NEXT_SPEC + 16) const uint BEGIN_0 = 0;  // padding
layout(constant_id = NEXT_SPEC + 17) const uint BEGIN_1 = 0;
layout(constant_id = NEXT_SPEC + 18) const uint BEGIN_2 = 0;
layout(constant_id = NEXT_SPEC + 19) const uint END_0 = 0;
layout(constant_id = NEXT_SPEC + 20) const uint END_1 = 0;
layout(constant_id = NEXT_SPEC + 21) const uint END_2 = 0;
layout(constant_id = NEXT_SPEC + 22) const bool ADAPTIVE = false;  // windows divide src evenly
layout(constant_id = NEXT_SPEC + 23) const bool COUNTED = false;   // a mean counts padding
layout(constant_id = NEXT_SPEC + 24) const bool MORE = false;      // continue with what dst has
layout(constant_id = NEXT_SPEC + 25) const bool LAST = true;       // no further launch continues
layout(constant_id = NEXT_SPEC + 26) const bool UNROLLED = false;
layout(constant_id = NEXT_SPEC + 27) const uint POWER = 0;  // of POOL_LP, the bits of a float
layout(constant_id = NEXT_SPEC + 28) const uint ROOT = 0;   // its reciprocal

#define OF_DIM(name) (k == 0 ? name##_0 : k == 1 ? name##_1 : name##_2)
const uint NONE = 0xffffffffu;  // no element yet
#include "families/pool_values.glsl"

uint windows_reciprocals[2];
// Of a window: where it starts, which may be before src; the end of what is in src; and where the box starts.
uint start[3], limit[3], box_start[3];
// Of up to PER windows at once.
uint results[PER], places[PER];
int keys[PER];
float sums[PER];

void window_at(uint position) {
    uint left = position, box = MORE ? FIRST : 0;
    [[unroll]] for (uint k = 0; k < 3; k++) {
        uint at = left;
        if (k + 1 < SPATIAL) left = divide(left, WINDOWS(k), windows_reciprocals[k], at);
        if (k >= SPATIAL) at = 0;
        start[k] = at * OF_DIM(STRIDE) - OF_DIM(BEGIN);
        limit[k] = SIZE(k);
        if (ADAPTIVE) {
            start[k] = at * SIZE(k) / WINDOWS(k);
            limit[k] = ((at + 1) * SIZE(k) + WINDOWS(k) - 1) / WINDOWS(k);
        }
        box_start[k] = start[k] + box % OF_DIM(KERNEL) * OF_DIM(DILATION);
        box /= OF_DIM(KERNEL);
    }
}

// By how many elements a sum is divided.
float window_count() {
    uint count = 1;
    [[unroll]] for (uint k = 0; k < SPATIAL; k++) {
        uint end = COUNTED ? SIZE(k) + OF_DIM(END) : limit[k];
        uint beyond = first_beyond(start[k], OF_DIM(DILATION), end, OF_DIM(KERNEL));
        uint before = COUNTED ? 0 : first_inside(start[k], OF_DIM(DILATION));
        count *= beyond - min(beyond, before);
    }
    return float(max(count, 1));
}

void clear(uint k) {
    results[k] = lowest();
    keys[k] = int(0x80000000u);
    places[k] = NONE;
    sums[k] = uintBitsToFloat(0x80000000u);  // -0: adding it changes no number, not even +0 or -0
}

#if BITS == 16 || BITS == 32
float power_of(float x) {
    precise float square = x * x;
    if (POWER == FLOAT_ONE) return x;
    if (POWER == 0x40000000u) return square;
    return float_pow(x, uintBitsToFloat(POWER));
}

// The sum of the window, divided by its count or taken to the root.
float whole_of(float sum, float count) {
    uint bits = floatBitsToUint(sum);
    sum = uintBitsToFloat(bits == 0x80000000u ? 0 : bits);
    if (OP == POOL_AVG) return float_divide(sum, count);
    if (POWER == 0x40000000u) return float_sqrt(sum);
    bool nan = (bits & ~FLOAT_SIGN) > FLOAT_INFINITY;
    if (POWER == FLOAT_ONE) return uintBitsToFloat(nan ? FLOAT_NAN : floatBitsToUint(sum));
    return float_pow(sum, uintBitsToFloat(ROOT));
}
#endif

void accept(uint k, uint raw, uint place, bool there) {
    if (OP == POOL_MAX || OP == POOL_INDEX) {
        int key = key_of(raw);
        bool better = key > keys[k] || A_TYPE >= FLOAT16 && key == NAN_KEY;
        better = there && (better || OP == POOL_INDEX && places[k] == NONE);
        keys[k] = better ? key : keys[k];
        results[k] = better ? raw : results[k];
        places[k] = better ? place : places[k];
        return;
    }
#if BITS == 16 || BITS == 32
    float value = A_TYPE == FLOAT16 ? half_to_float(raw) : uintBitsToFloat(raw);
    if (OP == POOL_LP) value = power_of(value);
    precise float sum = sums[k] + value;
    sums[k] = there ? sum : sums[k];
#endif
}
