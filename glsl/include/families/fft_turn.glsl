// The powers of a root by which the points of a stage are multiplied. Only the powers 1, 2, 4 and 8 are read, and
// the others are products of these, the largest first, since a CPU reads more slowly than it multiplies.
void read_powers(out PAIR powers[MOST_RADIX], uint radix, uint index) {
#ifdef DOUBLE
    [[unroll]] for (uint k = 1; k < radix; k++) {
        uint top = 1u << findMSB(k);
        powers[k] = root(index * top);
        if (k != top) powers[k] = pair_times(powers[top], powers[k - top]);
    }
#else
    powers[1] = root(index);
    if (radix > 2) powers[2] = root(index * 2);
    if (radix > 3) powers[3] = pair_times(powers[2], powers[1]);
    if (radix > 4) powers[4] = root(index * 4);
    [[unroll]] for (uint k = 5; k < min(radix, 8); k++) powers[k] = pair_times(powers[4], powers[k - 4]);
    if (radix > 8) powers[8] = root(index * 8);
    [[unroll]] for (uint k = 9; k < radix; k++) powers[k] = pair_times(powers[8], powers[k - 8]);
#endif
}

void turn(inout PAIR u[MOST_RADIX], PAIR powers[MOST_RADIX], uint radix) {
    [[unroll]] for (uint k = 1; k < radix; k++) u[k] = pair_times(u[k], powers[k]);
}
