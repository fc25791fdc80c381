// WIDTH nodes of as many trees side by side. The includer defines WIDTH, VALUE, `combine` and `identity`.

struct Node {
    VALUE at[WIDTH];
};

Node no_node() {
    Node node;
    [[unroll]] for (uint k = 0; k < WIDTH; k++) node.at[k] = identity();
    return node;
}

Node join(Node left, Node right) {
    Node node;
    [[unroll]] for (uint k = 0; k < WIDTH; k++) node.at[k] = combine(left.at[k], right.at[k]);
    return node;
}
