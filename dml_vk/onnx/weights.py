"""Choose the memory format of weights when a model is loaded."""

from __future__ import annotations

from collections import Counter

from dml_vk.layout import channels_last
from dml_vk.onnx.graph import Graph, Node
from dml_vk.onnx.machine import Machine
from dml_vk.onnx.registry import ONNX

_CONVOLUTIONS = {"Conv", "ConvTranspose"}


def convert(machine: Machine, graph: Graph) -> int:
    """Upload the weights of convolutions as channels_last, and return how many there are.

    Convolutions read these faster, whatever the format of their images is.
    """
    uses = Counter(name for node in graph.nodes for name in node.needs)
    uses.update(output.name for output in graph.outputs)
    weights = Counter(node.inputs[1] for node in graph.nodes if _is_convolution(node))
    count = 0
    for name, times in weights.items():
        value = graph.constants.get(name)
        if value is None or value.ndim != 4 or uses[name] != times:
            continue
        graph.constants[name] = machine.uploaded(value).to(channels_last)
        count += 1
    inner = [body for node in graph.nodes for body in (*node.graphs, node.body) if body is not None]
    return count + sum(convert(machine, body) for body in inner)


def _is_convolution(node: Node) -> bool:
    return node.operator is not None and node.domain == ONNX and node.op in _CONVOLUTIONS
