// Reductions by workgroups: MEMBERS invocations make one result, or four if ACROSS is defined, and their nodes
// meet in shared memory. Invocations that are side by side read leaves that are side by side in memory: leaves of
// one result or, if COLUMNS is defined, of neighbouring results.
// The includer defines AT_ONCE, the pieces that a member reads before it combines any with another member's.

#define RESULTS (LANES / MEMBERS)  // of a workgroup, which is one lane group
#define MOST_LANES 256
#define LEVELS 8  // of the tree of turns
#ifdef ACROSS
#define COLUMNS
#endif
#ifdef COLUMNS
#undef AT_ONCE
#define AT_ONCE 1
#elif defined(CHUNKED)
#define PIECE CHUNK
#else
#define PIECE (READ == BY_ELEMENTS ? 4 : 128 / src_bits())
#endif

shared Node nodes[MOST_LANES * AT_ONCE];

uint member, column;  // the number of an invocation among its result's members, and of the result in the workgroup

// Where the node of a member is.
uint own(uint member) {
#ifdef COLUMNS
    return member * RESULTS + column;
#else
    return column * MEMBERS + member;
#endif
}

void meet() {
    memoryBarrierShared();
    barrier();
}

// The node of all members, of which those from `there` on have none.
Node tree_of_members(Node node, uint there) {
    meet();
    nodes[own(member)] = node;
    for (uint left = MEMBERS / 2; left > 0; left /= 2) {
        bool both = member < left && 2 * member + 1 < there;
        meet();
        if (member < left) node = nodes[own(2 * member)];
        if (both) node = join(node, nodes[own(2 * member + 1)]);
        meet();
        if (member < left) nodes[own(member)] = node;
        there = (there + 1) / 2;
    }
    return node;
}

// Tell all members what the first one has.
Node told(Node node) {
    meet();
    if (member == 0) nodes[own(0)] = node;
    meet();
    return nodes[own(0)];
}

uint results() {
    uint n = 1;
    [[unroll]] for (uint k = 0; k < RANK; k++) n *= sizes[k];
    return n;
}

#ifdef COLUMNS
// The node of the leaves that a member begins at, those of all members together.
Node part_of(PLACE from, uint there, uint parts) {
    start(from);
    count = there;
    return tree_of_members(reduced(), parts);
}

// A member does a part of the leaves, and its neighbours the same part of the neighbouring results.
void unit(uint n, bool whole) {
    column = gl_LocalInvocationID.x % RESULTS;
    member = gl_LocalInvocationID.x / RESULTS;
    uint result = n * RESULTS + column, last = results() - 1;
    PLACE at = start_of(min(result, last)), from = at;
    uint most = min(push.block, push.leaves), part = 1 << findMSB(2 * ((most + MEMBERS - 1) / MEMBERS) - 1);
    uint all = count, skipped = member * part < all ? member * part : 0;
    from.y += skipped;
    if (LEAF_RANK == 1) from.x += skipped * push.steps[0];
    uint there = member * part < all ? min(part, all - skipped) : 0, parts = (all + part - 1) / part;
    Node node;
    REDUCE(node, told(node).at[0], part_of(from, there, parts))
    if (member == 0 && result <= last) write(at, node);
}
#else
// The leaves of a piece from i on, combined.
Node piece(uint i) {
    seek(i);
#ifdef CHUNKED
    return chunk(i);
#else
    VALUE leaves[16];
    if (READ == BY_ELEMENTS) {
        [[unroll]] for (uint k = 0; k < PIECE; k++) leaves[k] = value(element(address(i + k)), i + k);
    } else {
        uvec4 quad = quad_from(i);
        [[unroll]] for (uint k = 0; k < PIECE; k++) leaves[k] = value(part(quad, k), i + k);
    }
    [[unroll]] for (uint apart = 1; apart < 16; apart *= 2)
        [[unroll]] for (uint k = 0; k + apart < 16; k += 2 * apart)
            if (k + apart < PIECE) leaves[k] = combine(leaves[k], leaves[k + apart]);
    Node node;
    node.at[0] = leaves[0];
    return node;
#endif
}

// The node of the pieces of one turn, of which there are `there`.
Node turn_of(uint from, uint there) {
    Node pieces[AT_ONCE];
    [[unroll]] for (uint k = 0; k < AT_ONCE; k++)
        pieces[k] = piece((from + min(k * MEMBERS + member, there - 1)) * PIECE);
    if (AT_ONCE == 1) return tree_of_members(pieces[0], there);
    // Neighbours read neighbouring pieces, and combine those that are neighbours in the tree.
    uint first = column * MEMBERS * AT_ONCE;
    meet();
    [[unroll]] for (uint k = 0; k < AT_ONCE; k++) nodes[first + k * MEMBERS + member] = pieces[k];
    meet();
    [[unroll]] for (uint k = 0; k < AT_ONCE; k++) pieces[k] = nodes[first + member * AT_ONCE + k];
    [[unroll]] for (uint apart = 1; apart < AT_ONCE; apart *= 2)
        [[unroll]] for (uint k = 0; k + apart < AT_ONCE; k += 2 * apart)
            if (member * AT_ONCE + k + apart < there) pieces[k] = join(pieces[k], pieces[k + apart]);
    return tree_of_members(pieces[0], (there + AT_ONCE - 1) / AT_ONCE);
}

// The node of all turns.
Node all_turns() {
    uint pieces = (count + PIECE - 1) / PIECE, per = MEMBERS * AT_ONCE;
    // The same number for all results, since all wait for each other.
    uint turns = ((min(push.block, push.leaves) + PIECE - 1) / PIECE + per - 1) / per;
    Node node = turn_of(0, min(pieces, per));
    // Left halves of the tree of turns, by level, that wait for their right ones.
    Node waiting[LEVELS];
    uint done = 0;
    for (uint turn = 1; turn < turns; turn++) {
        uint from = min(turn * per, pieces - 1), level = 0;
        Node next = turn_of(from, min(pieces - from, per));
        if (turn * per >= pieces) continue;
        for (; (done >> level & 1) != 0; level++) node = join(waiting[level], node);
        waiting[level] = node;
        node = next;
        done++;
    }
    for (uint level = 0; done >> level != 0; level++)
        if ((done >> level & 1) != 0) node = join(waiting[level], node);
    return node;
}

void unit(uint n, bool whole) {
    column = gl_LocalInvocationID.x / MEMBERS;
    member = gl_LocalInvocationID.x % MEMBERS;
    uint result = n * RESULTS + column, last = results() - 1;
    PLACE at = start_of(min(result, last));
    Node node;
    REDUCE(node, told(node).at[0], all_turns())
    if (member == 0 && result <= last) write(at, node);
}
#endif
