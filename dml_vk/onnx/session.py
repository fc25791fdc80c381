"""`InferenceSession`: a model with the methods of onnxruntime's sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dml_vk.errors import ModelError
from dml_vk.onnx.backend import to_host
from dml_vk.onnx.element_types import NAMES, NUMBERS
from dml_vk.onnx.graph import Declared
from dml_vk.onnx.loading import load


class NodeArg(NamedTuple):
    """An input or output as onnxruntime describes it."""

    name: str
    type: str
    shape: list[int | str | None]


class InferenceSession:
    """A model that takes arrays by name and returns arrays.

    >>> import numpy as np
    >>> import onnx.parser
    >>> from dml_vk.onnx import InferenceSession
    >>> text = '<ir_version: 9, opset_import: ["": 20]> f (float[n] x) => (float[n] y) {y = Neg(x)}'
    >>> session = InferenceSession(onnx.parser.parse_model(text).SerializeToString())
    >>> session.run(None, {"x": np.array([1.0, -2.0], np.float32)})[0].tolist()
    [-1.0, 2.0]
    """

    def __init__(
        self,
        path_or_bytes: object,
        sess_options: object = None,
        providers: object = None,
        provider_options: object = None,
        **named: Any,
    ) -> None:
        self.model = load(path_or_bytes, **named)

    def get_inputs(self) -> list[NodeArg]:
        """The inputs, in order."""
        return [_described(declared) for declared in self.model.inputs.values()]

    def get_outputs(self) -> list[NodeArg]:
        """The outputs, in order."""
        return [_described(declared) for declared in self.model.outputs.values()]

    def get_providers(self) -> list[str]:
        """What computes: dml_vk."""
        return ["dml_vk"]

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, object],
        run_options: object = None,
    ) -> list[Any]:
        """Return these outputs, or all if there are no names, as arrays."""
        wanted = list(self.model.outputs) if output_names is None else list(output_names)
        for name in wanted:
            if name not in self.model.outputs:
                rule = "outputs must be asked for by their names"
                raise ModelError("run", rule, outputs=list(self.model.outputs), name=name)
        results = self.model.run(input_feed)
        return [to_host(results[name]) for name in wanted]


def _described(declared: Declared) -> NodeArg:
    kind = "" if declared.dtype is None else NAMES[NUMBERS[declared.dtype]].lower()
    return NodeArg(declared.name, f"tensor({kind})", list(declared.shape or ()))
