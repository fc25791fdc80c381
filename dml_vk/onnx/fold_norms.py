"""Fold normalizations into convolutions, and activations into the nodes before them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import dml_vk as dv
from dml_vk.onnx.context import Value
from dml_vk.onnx.graph import Graph, Node, ends_of
from dml_vk.onnx.machine import Machine
from dml_vk.onnx.registry import ONNX
from dml_vk.tensor.core import Tensor

# The activations that a convolution, product or normalization can end with, and their parameters.
_ACTIVATIONS = {
    "Elu": ("elu", ("alpha",)),
    "HardSigmoid": ("hard_sigmoid", ("alpha", "beta")),
    "LeakyRelu": ("leaky_relu", ("alpha",)),
    "Relu": ("relu", ()),
    "Sigmoid": ("sigmoid", ()),
    "Softplus": ("softplus", ()),
    "Softsign": ("softsign", ()),
    "Tanh": ("tanh", ()),
}
_TAKE_ACTIVATIONS = {"BatchNormalization", "Conv", "Gemm"}


def fold_norms(machine: Machine, graph: Graph) -> Counter[str]:
    """Fold nodes of a graph and of the graphs within it; return how many of each kind."""
    counts: Counter[str] = Counter()
    uses = Counter(name for node in graph.nodes for name in node.needs)
    uses.update(output.name for output in graph.outputs)
    makers: dict[str, Node] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        for inner in (*node.graphs, *([node.body] if node.body is not None else [])):
            counts += fold_norms(machine, inner)
        before = makers.get(node.inputs[0]) if node.inputs else None
        joined = ""
        if before is not None and uses[node.inputs[0]] == 1 and _is_plain(node):
            joined = _joined(machine, graph, before, node)
        if before is not None and joined:
            counts[joined] += 1
            before.outputs = node.outputs[:1]
            makers[node.outputs[0]] = before
        else:
            nodes.append(node)
            makers.update((name, node) for name in node.outputs[:1])
    graph.nodes = nodes
    graph.ends = ends_of(nodes, graph.outputs)
    return counts


def _is_plain(node: Node) -> bool:
    """Whether it is an operator of ONNX with one result."""
    return node.operator is not None and node.domain == ONNX and not any(node.outputs[1:])


def _joined(machine: Machine, graph: Graph, before: Node, node: Node) -> str:
    """Join a node to the one before, if that is possible; say what was joined."""
    if not _is_plain(before) or before.activation is not None:
        return ""
    if before.op == "Conv" and node.op == "BatchNormalization":
        return _normalized(machine, graph, before, node)
    if node.op not in _ACTIVATIONS or before.op not in _TAKE_ACTIVATIONS:
        return ""
    if not _is_float(graph.constants.get(before.inputs[1])) or before.get("training_mode", 0):
        return ""
    name, parameters = _ACTIVATIONS[node.op]
    before.activation = (name, {parameter: node.attributes[parameter] for parameter in parameters})
    return f"{before.op} + {node.op}"


def _normalized(machine: Machine, graph: Graph, conv: Node, node: Node) -> str:
    """Fold a normalization: w * s and (b - mean) * s + bias, with s = scale / sqrt(var + eps)."""
    constants = [graph.constants.get(name) for name in (*conv.inputs[1:], *node.inputs[1:]) if name]
    if node.get("training_mode", 0) or any(constant is None for constant in constants):
        return ""
    tensors = [_tensor(machine, constant) for constant in constants]
    if len({constant.dtype for constant in tensors}) != 1:
        return ""
    weight, *biases = tensors[:-4]
    scale, shift, mean, var = tensors[-4:]
    factor = dv.divide(scale, dv.sqrt(dv.add(var, node.attributes["epsilon"])))
    moved = dv.subtract(biases[0], mean) if biases else dv.negative(mean)
    wide = dv.reshape(factor, (-1, *[1] * (weight.ndim - 1)))
    names = [f"{node.outputs[0]}:{part}" for part in ("weight", "bias")]
    graph.constants[names[0]] = dv.multiply(weight, wide)
    graph.constants[names[1]] = dv.add(dv.multiply(moved, factor), shift)
    conv.inputs = (conv.inputs[0], *names)
    return "Conv + BatchNormalization"


def _tensor(machine: Machine, value: Value) -> Tensor:
    return value if isinstance(value, Tensor) else machine.tensor(value)


def _is_float(value: Any) -> bool:
    return value is not None and value.dtype.kind == "f"
