// A binary tree, whose lowest nodes are chunks of CHUNK of the `count` leaves. The includer defines TIERS, each
// of 16 times as many chunks, and `chunk`, which is called with the number of the first leaf of each, in order.
// It may define COMBINE_SAME, and a `combine_same` for nodes that have the same number of elements.

#ifdef COMBINE_SAME
VALUE combine_same(VALUE left, VALUE right);
#endif

// Two nodes of as many elements, unless chunks are UNEVEN.
Node join_same(Node left, Node right) {
#ifdef COMBINE_SAME
    Node node;
    [[unroll]] for (uint k = 0; k < WIDTH; k++) node.at[k] = combine_same(left.at[k], right.at[k]);
    if (!UNEVEN) return node;
#endif
    return join(left, right);
}

// Add node n of a tree. `waiting` has the left halves that wait for their right ones, by level. If the
// lower four bits of n are set, the result is a complete node four levels up.
Node grow(inout Node waiting[4], uint n, Node node) {
    [[unroll]] for (uint k = 0; k < 4; k++) {
        // `node` is a node of this level only if all lower bits of n are set.
        bool waits = (n & (2u << k) - 1) == (1u << k) - 1;
        Node left = waiting[k];
        [[unroll]] for (uint i = 0; i < WIDTH; i++) waiting[k].at[i] = waits ? node.at[i] : left.at[i];
        node = join_same(left, node);
    }
    return node;
}

// After n nodes, combine the left halves that still wait, whose right halves are incomplete.
Node fold(Node waiting[4], uint n, Node total) {
    [[unroll]] for (uint k = 0; k < 4; k++) {
        Node whole = join(waiting[k], total);
        [[unroll]] for (uint i = 0; i < WIDTH; i++)
            total.at[i] = (n >> k & 1) != 0 ? whole.at[i] : total.at[i];
    }
    return total;
}

Node reduced() {
    if (TIERS == 0) return chunk(0);
    Node none = no_node(), total = none, low[4], middle[4], high[4];
    [[unroll]] for (uint k = 0; k < 4; k++) low[k] = middle[k] = high[k] = none;
    uint n = 0;
    for (uint i = 0; i < count; i += CHUNK) {
        Node node = chunk(i);
        node = grow(low, n, node);
        // A loop of one iteration or none: a CPU executes a branch even if no lane takes it.
        for (bool full = TIERS > 1 && (n & 15) == 15; full; full = false) {
            node = grow(middle, n >> 4, node);
            if (TIERS > 2 && (n & 255) == 255) grow(high, n >> 8, node);
        }
        n++;
    }
    total = fold(low, n, none);
    if (TIERS > 1) total = fold(middle, n >> 4, total);
    if (TIERS > 2) total = fold(high, n >> 8, total);
    return total;
}
