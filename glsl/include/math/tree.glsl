// The sum of 16 terms as a binary tree. The loops are of fixed lengths, so that drivers unroll them.
#ifndef TREE_HEAD
#define TREE_HEAD

float tree_sum(float terms[16]) {
    float eight[8], four[4];
    [[unroll]] for (uint k = 0; k < 8; k++) {
        precise float sum = terms[2 * k] + terms[2 * k + 1];
        eight[k] = sum;
    }
    [[unroll]] for (uint k = 0; k < 4; k++) {
        precise float sum = eight[2 * k] + eight[2 * k + 1];
        four[k] = sum;
    }
    precise float total = (four[0] + four[1]) + (four[2] + four[3]);
    return total;
}
#endif
