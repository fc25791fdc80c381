"""Operators that run as the function in their schema."""

from __future__ import annotations

import numpy as np

from dml_vk.dtypes import to_dtype
from dml_vk.onnx.context import Context, Value
from dml_vk.onnx.element_types import NUMBERS
from dml_vk.onnx.expansions import expansion
from dml_vk.onnx.registry import ONNX, operator

PREVIEW = "ai.onnx.preview"
# From these opsets on, their schemas have functions of operators that are in the table.
_FIRST = {
    (ONNX, "AffineGrid"): 20,
    (ONNX, "Attention"): 23,
    (ONNX, "CausalConvWithState"): 27,
    (ONNX, "LinearAttention"): 27,
    (ONNX, "NegativeLogLikelihoodLoss"): 12,
    (ONNX, "RotaryEmbedding"): 23,
    (ONNX, "SoftmaxCrossEntropyLoss"): 12,
    (ONNX, "SwiGLU"): 28,
    (PREVIEW, "FlexAttention"): 1,
}


def _entered(domain: str, name: str, first: int) -> None:
    @operator(name, first=first, domain=domain, raw=True, is_expanded=True)
    def expand(node: Context, *values: Value) -> tuple[Value, ...]:
        types = tuple(_type_of(node, value) for value in values)
        graph = expansion(node.node, types)
        inputs = [*values, *[None] * (len(graph.inputs) - len(values))]
        return tuple(node.run_alone(graph, inputs))


def _type_of(node: Context, value: Value) -> tuple[int, tuple[int, ...]] | None:
    """A dtype's number and a shape, or nothing for an input that is absent."""
    if value is None:
        return None
    x = value if isinstance(value, np.ndarray) else node.tensor(value)
    return NUMBERS[to_dtype(node.name, x.dtype)], tuple(x.shape)


for (_domain, _name), _least in _FIRST.items():
    _entered(_domain, _name, _least)
