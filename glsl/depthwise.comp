#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Convolutions of float32 or float16, computed in float32, each of whose outputs has one channel of x. All terms,
// which are at most a run of them, are added one after the other.
#include "types/float_values.glsl"
#include "math/activation.glsl"
#define SOURCES 3
#define BASES x_base, weight_base, bias_base, dst_base
#define FROM push.x_base, push.weight_base, push.bias_base
#define MAX_RANK 2
#define EXTRA                                                          \
    uint inner_size, outer_size; /* of x, in dims 0 and 1 */           \
    uint x_sample, x_channel, dst_sample, dst_channel;                 \
    uint tiles_down; /* of an image */                                 \
    uint weight_channel;                                               \
    float alpha, beta; /* of the activation */
#define DST 3
#include "index/index.glsl"

#define ELEMENT float
float element_of(uint raw);
#include "families/windows.glsl"
float element_of(uint raw) { return decode(uvec2(raw, 0), X_TYPE); }

layout(constant_id = NEXT_SPEC) const uint WEIGHT_STRIDE_2 = 0;
layout(constant_id = NEXT_SPEC + 1) const uint WEIGHT_TYPE = FLOAT32;
layout(constant_id = NEXT_SPEC + 2) const bool WEIGHT_QUADS = false;  // those of four channels are quads of float32
layout(constant_id = NEXT_SPEC + 3) const bool BIAS = false;
layout(constant_id = NEXT_SPEC + 4) const uint BIAS_STEP = 1;
layout(constant_id = NEXT_SPEC + 5) const uint BIAS_TYPE = FLOAT32;
layout(constant_id = NEXT_SPEC + 6) const uint ACTIVATION = 0;  // an opcode, or 0

#define SOURCE 1
#define SOURCE_TYPE WEIGHT_TYPE
#define NAMED(name) weight_##name
#include "families/matmul_element.glsl"
layout(binding = 1) readonly buffer WeightQuads { uvec4 weight_quads[]; };
#undef SOURCE
#undef SOURCE_TYPE
#undef NAMED
#define SOURCE 2
#define SOURCE_TYPE BIAS_TYPE
#define NAMED(name) bias_##name
#include "families/matmul_element.glsl"

const uint TAPS = WINDOW_0 * WINDOW_1;

float sums[CHANNELS][DOWN][ACROSS];
float weights[CHANNELS][TAPS];

float plus(float a, float b) {
    precise float sum = a + b;
    return sum;
}

float times(float a, float b) {
    precise float product = a * b;
    return product;
}

void clear() {
    [[unroll]] for (uint c = 0; c < CHANNELS; c++)
        [[unroll]] for (uint r = 0; r < DOWN; r++)
            // -0: adding it changes no number, not even +0 or -0
            [[unroll]] for (uint j = 0; j < ACROSS; j++) sums[c][r][j] = uintBitsToFloat(0x80000000u);
}

void start_plane(uint channel, uint z) {
    uint from = bases.y + channel * push.weight_channel + z * WEIGHT_STRIDE_2;
    if (WEIGHT_QUADS) {
        [[unroll]] for (uint n = 0; n < CHANNELS * TAPS; n += 4) {
            uvec4 quad = weight_quads[(from + n) / 4];
            [[unroll]] for (uint k = 0; k < 4; k++)
                weights[(n + k) / TAPS][(n + k) % TAPS] = uintBitsToFloat(quad[k]);
        }
    } else
        [[unroll]] for (uint c = 0; c < CHANNELS; c++)
            [[unroll]] for (uint tap = 0; tap < TAPS; tap++)
                weights[c][tap] = weight_element(from + c * push.weight_channel + tap % WINDOW_0 * strides[0].y +
                                                 tap / WINDOW_0 * strides[1].y);
}

void take(uint r, uint t, bool sure, bool there) {
    [[unroll]] for (uint c = 0; c < CHANNELS; c++)
        [[unroll]] for (uint j = 0; j < ACROSS; j++) {
            float sum = sums[c][r][j];
            [[unroll]] for (uint i = 0; i < WINDOW_0; i++) {
                uint k = j * STRIDE_0 + i * DILATION_0;
                float before = sum;
                sum = plus(sum, times(weights[c][t * WINDOW_0 + i], line[c][k]));
                if (!is_sure(k, sure)) sum = is_there(k, there) ? sum : before;
            }
            sums[c][r][j] = sum;
        }
}

void fill_results(uint channel) {
    [[unroll]] for (uint c = 0; c < CHANNELS; c++) {
        float bias = BIAS ? bias_element(bases.z + (channel + c) * BIAS_STEP) : 0.0;
        [[unroll]] for (uint r = 0; r < DOWN; r++)
            [[unroll]] for (uint j = 0; j < ACROSS; j++) {
                // 0 as the sum of zeros of any sign, and of nothing.
                float sum = floatBitsToUint(sums[c][r][j]) == 0x80000000u ? 0.0 : sums[c][r][j];
                if (BIAS) sum = plus(sum, bias);
                results[r * QUADS_ACROSS + j * CHANNELS / 4][CHANNELS == 1 ? j % 4 : c] = floatBitsToUint(sum);
            }
    }
}

uvec4 finished(uvec4 result, uvec3 window) {
    uvec4 bits;
    [[unroll]] for (uint k = 0; k < 4; k++)
        bits[k] = encode(activated(ACTIVATION, uintBitsToFloat(result[k]), push.alpha, push.beta), DST_TYPE).x;
    return bits;
}

void main() { run(); }
