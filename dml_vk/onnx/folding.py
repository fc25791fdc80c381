"""Constant folding: nodes whose inputs are constants run once, when the model is loaded."""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.onnx.execute import evaluate
from dml_vk.onnx.graph import Graph, Node
from dml_vk.onnx.machine import Machine

# Results that need much memory are made when they are needed.
_GROWING = {"EyeLike", "Expand", "OneHot", "Range", "Tile"}
_MOST = 2**20  # elements of a ConstantOfShape


def fold(machine: Machine, graph: Graph) -> None:
    """Put the results of such nodes among the constants, in the graphs of nodes too."""
    values: dict[str, Any] = graph.constants
    left, ends = [], []
    for node, ended in zip(graph.nodes, graph.ends):
        for inner in (*node.graphs, *([node.body] if node.body is not None else [])):
            fold(machine, inner)
        if _is_constant(node, values):
            results = evaluate(machine, node, values)
            values.update((name, value) for name, value in zip(node.outputs, results) if name)
        else:
            left.append(node)
            ends.append(ended)
    used = {name for node in left for name in node.needs} | {value.name for value in graph.outputs}
    graph.nodes, graph.ends = left, ends
    graph.constants = {name: value for name, value in values.items() if name in used}
    for value in graph.constants.values():
        if isinstance(value, np.ndarray):
            machine.keep(value)


def _is_constant(node: Node, values: dict[str, object]) -> bool:
    if node.operator is None or node.operator.is_random or any(node.graphs):
        return False
    if node.op in _GROWING or not all(name in values for name in node.inputs if name):
        return False
    if node.op != "ConstantOfShape":
        return True
    sizes = values[node.inputs[0]]
    return isinstance(sizes, np.ndarray) and np.prod(sizes, dtype=float) <= _MOST
