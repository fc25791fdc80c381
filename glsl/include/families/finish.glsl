// The last step of softmax and of norms, before an activation.
#include "math/activation.glsl"

// From an element, the pair of numbers of its row, and its weight and bias.
float finished(vec2 a, vec2 row, vec2 affine) {
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
