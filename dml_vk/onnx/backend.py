"""`Backend`: models as the package `onnx` runs them, in its tests for one."""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.driver.probe import devices
from dml_vk.onnx.context import Value
from dml_vk.onnx.loading import load
from dml_vk.onnx.model import Model
from dml_vk.onnx.package import onnx_package
from dml_vk.tensor.core import Tensor


class Prepared:
    """A model that runs on sequences of arrays, and returns arrays."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def run(self, inputs: Any, **named: object) -> tuple[Any, ...]:
        """Return the outputs for these inputs, in their order."""
        if isinstance(inputs, dict):
            feeds = inputs
        else:
            values = [inputs] if isinstance(inputs, np.ndarray) else list(inputs)
            feeds = dict(zip(self.model.inputs, values))
        return tuple(map(to_host, self.model.run(feeds).values()))


class Backend:
    """The interface of `onnx.backend.base.Backend`.

    >>> import onnx.helper
    >>> from dml_vk.onnx import Backend
    >>> node = onnx.helper.make_node("Sqrt", ["x"], ["y"])
    >>> Backend.run_node(node, [[4.0, 9.0]])[0].tolist()
    [2.0, 3.0]
    """

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **named: Any) -> bool:
        """Whether a model can be loaded."""
        try:
            load(model, **named)
        except ValueError:
            return False
        return True

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **named: Any) -> Prepared:
        """Return the model, ready to run. Devices are those of dml_vk, whatever their kind."""
        return Prepared(load(model, **named))

    @classmethod
    def run_model(cls, model: object, inputs: object, device: str = "CPU", **named: object) -> Any:
        """Load a model and run it once."""
        return cls.prepare(model, device, **named).run(inputs)

    @classmethod
    def run_node(
        cls, node: Any, inputs: Any, device: str = "CPU", outputs_info: Any = None, **named: Any
    ) -> Any:
        """Run a single node on arrays."""
        onnx = onnx_package("run_node")
        arrays = [_array(array) for array in inputs]
        numbers = [onnx.helper.np_dtype_to_tensor_dtype(array.dtype) for array in arrays]
        names = [name for name in node.input if name]
        value = onnx.helper.make_tensor_value_info
        declared = [
            value(name, kind, array.shape) for name, kind, array in zip(names, numbers, arrays)
        ]
        wanted = [onnx.helper.make_empty_tensor_value_info(name) for name in node.output]
        graph = onnx.helper.make_graph([node], "node", declared, wanted)
        opset = named.pop("opset_version", onnx.defs.onnx_opset_version())
        imports = [onnx.helper.make_opsetid("", opset)]
        model = onnx.helper.make_model(graph, opset_imports=imports)
        return cls.run_model(model, arrays, device, **named)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether there is a device, of which the kind does not matter."""
        return device.split(":")[0] in ("CPU", "CUDA", "GPU") and len(list(devices())) > 0


def to_host(value: Value) -> Any:
    """Return an output with arrays in place of tensors."""
    if isinstance(value, list):
        return [to_host(element) for element in value]
    return value.numpy() if isinstance(value, Tensor) else value


def _array(value: object) -> Any:
    if isinstance(value, np.ndarray):
        return value
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype == np.float64 else array
