"""Attributes of nodes as Python values, with the defaults of the operator's schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk.errors import ModelError
from dml_vk.onnx.constants import Source, to_array
from dml_vk.onnx.texts import to_text

if TYPE_CHECKING:
    from onnx import AttributeProto

FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS, STRINGS = range(1, 9)
TYPE = 13


def value_of(what: str, attribute: AttributeProto, source: Source, graph: Any) -> Any:
    """Return an attribute's value; `graph` makes one of a GraphProto."""
    kind = attribute.type
    if kind == FLOAT:
        return _float(attribute.f)
    if kind == INT:
        return attribute.i
    if kind == STRING:
        return to_text(what, attribute.s)
    if kind == TENSOR:
        return to_array(what, attribute.t, source)
    if kind == GRAPH:
        return graph(attribute.g)
    if kind == FLOATS:
        return [_float(element) for element in attribute.floats]
    if kind == INTS:
        return list(attribute.ints)
    if kind == STRINGS:
        return [to_text(what, element) for element in attribute.strings]
    if kind == TYPE:
        return attribute.tp
    rule = "attributes must be numbers, texts, lists of these, tensors or graphs"
    raise ModelError(what, rule, attribute=attribute.name, type=kind)


def _float(value: float) -> float:
    """The shortest number that is this float32: 0.01 for what is stored as 0.00999999977."""
    return float(str(np.float32(value)))
