// DirectML's prologue of an operator: a scale and a bias, which are the last two scalars, or a sum.

const uint SCALED = 1, ADDED = 2;

float before(float a) {
    precise float scaled = uintBitsToFloat(push.scalars[2]) * a;
    scaled = scaled + uintBitsToFloat(push.scalars[3]);
    return BEFORE == SCALED ? scaled : a;
}

float before(float a, float b) {
    precise float sum = a + b;
    return BEFORE == ADDED ? sum : before(a);
}
