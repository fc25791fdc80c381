// Sums over the invocations of a workgroup, which is one lane group of at most MOST_LANES, a power of two. The
// includer defines SUMS(i), 2 * MOST_LANES words of shared memory.
#define MOST_LANES 256

void meet() {
    memoryBarrierShared();
    barrier();
}

// The sum of the values of the invocations before this one, and of all of them.
uint sum_before(uint value, out uint all) {
    uint id = gl_LocalInvocationID.x, from = 0, sum = value;
    meet();  // after what was there has been read
    for (uint apart = 1; apart < LANES; apart *= 2) {
        SUMS(from + id) = sum;
        meet();
        if (id >= apart) sum += SUMS(from + id - apart);
        from = LANES - from;
    }
    SUMS(from + id) = sum;
    meet();
    all = SUMS(from + LANES - 1);
    return sum - value;
}
