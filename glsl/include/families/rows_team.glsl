// Rows by workgroups: each invocation makes the value of one chunk, and MEMBERS of them the pair of a row. An
// element is read and written once. Invocations that are side by side read elements that are side by side: of
// rows, which chunks are then taken from in shared memory; or, if COLUMNS is defined, of neighbouring rows or
// parts, of which each invocation keeps its own chunk.

#define CHUNK 16
#define RESULTS (LANES / MEMBERS)  // rows of a workgroup, which is one lane group
#define SIDE (PARTS ? MEMBERS / PART_MEMBERS : 1)
#define OWN gl_LocalInvocationID.x

const uint NODES = LANES * 4 / 3;  // level after level, each of a quarter of the one below
shared float nodes[VALUES * NODES];
shared vec2 pairs[LANES];  // of rows

uint member, column;  // the number of an invocation among its row's members, and of the row in the workgroup

void meet() {
    memoryBarrierShared();
    barrier();
}

void put(uint at, VALUE value) {
    [[unroll]] for (uint k = 0; k < VALUES; k++) nodes[k * NODES + at] = value[k];
}
VALUE get(uint at) {
    VALUE value;
    [[unroll]] for (uint k = 0; k < VALUES; k++) value[k] = nodes[k * NODES + at];
    return value;
}

uint parts() { return PARTS ? sizes[1] : 1; }

// Whether a member has a chunk. Where the first one below a node has none, the node is missing.
bool has_chunk(uint member) {
    return member % PART_MEMBERS * CHUNK < sizes[0] && member / PART_MEMBERS < parts();
}

// The place of node n of a level of so many for each row.
uint place_of(uint n, uint many) {
#ifdef COLUMNS
    return n * RESULTS + column;
#else
    return column * many + n;
#endif
}

// For the first member of a row the value of its whole row: two levels of the tree at a time.
VALUE value_of_row(VALUE value) {
    uint level = 0;
    for (uint each = 1; each < MEMBERS; each *= 4) {
        uint many = MEMBERS / each, n = 4 * member;
        if (member < many) put(level + place_of(member, many), value);
        meet();
        if (n < many) {
            value = get(level + place_of(n, many));
            if (has_chunk((n + 1) * each)) value = combine(value, get(level + place_of(n + 1, many)));
            if (n + 2 < many && has_chunk((n + 2) * each)) {
                VALUE right = get(level + place_of(n + 2, many));
                if (has_chunk((n + 3) * each)) right = combine(right, get(level + place_of(n + 3, many)));
                value = combine(value, right);
            }
        }
        level += LANES / each;
    }
    return value;
}

void make_pair(float elements[16]) {
    uint from = member % PART_MEMBERS * CHUNK;
    VALUE value = value_of_row(value_of_chunk(elements, GAPS ? min(16u, sizes[0] - from) : 16u));
    if (member == 0) pairs[column] = pair_of_row(value);
    meet();
}

// The place of an element of a row of the workgroup: where there is none, that of another one.
PLACE element_of(uint n, uint row, uint part, uint i, uint run, out bool there) {
    uint result = n * RESULTS + row, last = sizes[2] * sizes[3] - 1;
    there = result <= last && part < parts() && i < sizes[0];
    uint left = min(result, last);
    PLACE at = bases + take(left, 2) * strides[2];
    at += left * strides[3] + min(part, parts() - 1) * strides[1];
    return at + min(i, sizes[0] - run) * row_step();
}

#ifdef COLUMNS
void unit(uint n, bool whole) {
    uint part = OWN % SIDE, block = OWN / SIDE / RESULTS;
    column = OWN / SIDE % RESULTS;
    member = part * PART_MEMBERS + block;
    meet();  // after the last rows have been finished
    PLACE at[16];
    bool there[16];
    float elements[16];
    [[unroll]] for (uint k = 0; k < 16; k++) {
        at[k] = element_of(n, column, part, block * CHUNK + k, 1, there[k]);
        elements[k] = a_element(at[k]);
    }
    make_pair(elements);
    [[unroll]] for (uint k = 0; k < 16; k++)
        if (there[k]) finish_one(at[k], pairs[column], elements[k]);
}
#else
// A word after each chunk, so that invocations take theirs from different banks.
shared float cells[LANES * 17];

uint cell_of(uint e) { return e + e / CHUNK; }

// The place of element e of the workgroup, of whose chunks some are empty or not full.
PLACE place_of_element(uint n, uint e, out uint row, uint run, out bool there) {
    uint chunk = e / CHUNK % MEMBERS;
    row = e / CHUNK / MEMBERS;
    return element_of(n, row, chunk / PART_MEMBERS, chunk % PART_MEMBERS * CHUNK + e % CHUNK, run, there);
}

void unit(uint n, bool whole) {
    column = OWN / MEMBERS;
    member = OWN % MEMBERS;
    uint row;
    bool there;
    float elements[16];
    meet();  // after the last rows have been finished
    if (DST_QUADS) {
        Values quads[16 / PER];
        [[unroll]] for (uint q = 0; q < 16 / PER; q++)
            quads[q] = a_run(place_of_element(n, (q * LANES + OWN) * PER, row, PER, there).x);
        [[unroll]] for (uint q = 0; q < 16 / PER; q++)
            [[unroll]] for (uint k = 0; k < PER; k++) cells[cell_of((q * LANES + OWN) * PER) + k] = quads[q].at[k];
    } else {
        [[unroll]] for (uint k = 0; k < 16; k++)
            elements[k] = a_element(place_of_element(n, k * LANES + OWN, row, 1, there));
        [[unroll]] for (uint k = 0; k < 16; k++) cells[cell_of(k * LANES + OWN)] = elements[k];
    }
    meet();
    [[unroll]] for (uint k = 0; k < 16; k++) elements[k] = cells[OWN * 17 + k];
    make_pair(elements);
    if (DST_QUADS) {
        [[unroll]] for (uint q = 0; q < 16 / PER; q++) {
            uint e = (q * LANES + OWN) * PER;
            PLACE at = place_of_element(n, e, row, PER, there);
            Values quad;
            [[unroll]] for (uint k = 0; k < PER; k++) quad.at[k] = cells[cell_of(e) + k];
            b_start(at);
            c_start(at);
            if (there) finish_quad(at, pairs[row], quad);
        }
    } else
        [[unroll]] for (uint k = 0; k < 16; k++) {
            uint e = k * LANES + OWN;
            PLACE at = place_of_element(n, e, row, 1, there);
            if (there) finish_one(at, pairs[row], cells[cell_of(e)]);
        }
}
#endif
