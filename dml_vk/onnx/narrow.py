"""Integers of 2 and 4 bits, stored as bytes; quantized values are limited to their range."""

from __future__ import annotations

from collections.abc import Mapping

from dml_vk.onnx.element_types import name_of
from dml_vk.onnx.graph import Graph

# Operators whose results have the element type of their first input.
_MOVES = {
    *("Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "Expand", "Slice"),
    *("Split", "Gather", "Concat"),
}


def limits(number: int) -> tuple[int, int]:
    """The least and the greatest integer of a small element type."""
    name = name_of(number)
    bits = int(name[-1])
    return (0, 2**bits - 1) if name.startswith("U") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def mark(graph: Graph, known: Mapping[str, int]) -> None:
    """Give each QuantizeLinear the element type of its zero point, if that is small.

    `known` has the small element types of names from outside.
    """
    kinds = {**known, **graph.narrow}
    for node in graph.nodes:
        marks = [kinds.get(name, 0) for name in node.inputs]
        if node.op == "QuantizeLinear" and len(marks) > 2 and marks[2]:
            node.attributes["output_dtype"] = marks[2]
        kind = node.narrow or (node.op in _MOVES and next(iter(marks), 0))
        if kind:
            kinds.update(dict.fromkeys(filter(None, node.outputs), kind))
        for inner in node.graphs:
            mark(inner, kinds)
        if node.body is not None:
            pairs = zip(node.body.inputs, marks)
            mark(node.body, {declared.name: kind for declared, kind in pairs if kind})
