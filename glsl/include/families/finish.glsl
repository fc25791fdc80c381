// The last step of softmax and of norms, before an activation.
#include "math/activation.glsl"

// From an element, the pair of numbers of its row, and its weight and bias; `opcode` says how.
// Where exp would be of NaN, the second number of the pair is NaN.
float finished(uint opcode, float a, vec2 row, float weight, float bias) {
    precise float result = a - row.x;
    switch (opcode) {
    case FINISH_SOFTMAX: result = float_exp_below(result) * row.y; break;
    case FINISH_LOG_SOFTMAX: result = result - row.y; break;
    case FINISH_NORM: result = result * row.y; break;
    case FINISH_SCALED: result = result * row.y * weight; break;
    case FINISH_SHIFTED: result = result * row.y + bias; break;
    case FINISH_AFFINE: result = result * row.y * weight + bias; break;
    }
    return result;
}
