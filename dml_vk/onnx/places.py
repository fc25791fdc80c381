"""Which inputs should stay on the host, since shapes are computed from them."""

from __future__ import annotations

from dml_vk.onnx.graph import Graph, Node
from dml_vk.onnx.registry import ON_HOST, ONNX


def wanted_on_host(graph: Graph) -> set[str]:
    """Return names of values that operators take on the host, and those they are computed from."""
    wanted: set[str] = set()
    for node in reversed(graph.nodes):
        for inner in node.graphs:
            wanted |= wanted_on_host(inner)
        if node.body is not None:
            inside = wanted_on_host(node.body)
            pairs = zip(node.inputs, node.body.inputs)
            wanted.update(name for name, declared in pairs if declared.name in inside)
        elif _is_on_host(node) and wanted.intersection(node.outputs):
            wanted.update(node.inputs)
        if node.operator is not None:
            places = enumerate(node.inputs)
            wanted.update(name for index, name in places if node.operator.wants_host(index))
    return wanted - {""}


def _is_on_host(node: Node) -> bool:
    return node.domain == ONNX and node.op in ON_HOST
