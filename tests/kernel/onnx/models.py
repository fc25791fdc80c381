"""Small models for tests."""

from __future__ import annotations

from typing import Any

import onnx
import onnx.parser
from onnx import helper


def parsed(graph: str, opset: int = 20, head: str = "") -> Any:
    """A model in ONNX's text syntax, such as `f (float[n] x) => (float[n] y) {y = Exp(x)}`."""
    text = f'<ir_version: 9, opset_import: ["": {opset}{head}]>\n{graph}'
    return onnx.parser.parse_model(text)


def of_nodes(
    *nodes: Any,
    constants: Any = (),
    inputs: Any = ("x",),
    outputs: Any = ("y",),
    opset: int = 20,
) -> Any:
    """A model of nodes, unchecked, with float32 inputs of any shape."""
    given = [helper.make_tensor_value_info(name, 1, None) for name in inputs]
    wanted = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(list(nodes), "f", given, wanted, list(constants))
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


node = helper.make_node
