#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The elements of softmax and of norms: from an element, the pair of numbers of its row, which
// reduce_softmax.comp or reduce_moments.comp made, and the weight and bias.
#define SOURCES 3
#define UNROLL [[unroll]]
#define RESULT float
#include "types/pair_values.glsl"
#include "families/elementwise.glsl"
#include "math/exp.glsl"

float compute(vec2 a, vec2 row, vec2 affine) {
    precise float result = a.x - row.x;
    switch (OP) {
    case FINISH_SOFTMAX: result = float_exp(result) * row.y; break;
    case FINISH_LOG_SOFTMAX: result = result - row.y; break;
    case FINISH_LOG_SUM_EXP:
        // The element is itself the pair of a row: its maximum and the logarithm of a sum.
        result = a.x + a.y;
        result = (floatBitsToUint(a.x) & FLOAT_INFINITY) == FLOAT_INFINITY ? a.x : result;
        break;
    case FINISH_NORM: result = result * row.y; break;
    case FINISH_SCALED: result = result * row.y * affine.x; break;
    case FINISH_SHIFTED: result = result * row.y + affine.x; break;
    case FINISH_AFFINE: result = result * row.y * affine.x + affine.y; break;
    }
    return result;
}

void main() { run(); }
