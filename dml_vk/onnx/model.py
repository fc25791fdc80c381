"""`Model`: a graph on a device, which runs as a program for each signature of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from dml_vk.array.creation.arrays import asarray
from dml_vk.compiler.compiled import compile as compiled
from dml_vk.compiler.passes.formats import AUTO, NCHW, NHWC
from dml_vk.dtypes import DType
from dml_vk.errors import CaptureError, LayoutError, ModelError
from dml_vk.layout import channels_last, contiguous_format
from dml_vk.onnx.context import Value
from dml_vk.onnx.execute import execute
from dml_vk.onnx.fold_norms import fold_norms
from dml_vk.onnx.folding import fold
from dml_vk.onnx.graph import Declared, Graph
from dml_vk.onnx.machine import Machine
from dml_vk.onnx.places import wanted_on_host
from dml_vk.onnx.times import NodeTime, node_by_node, times_of
from dml_vk.onnx.weights import convert
from dml_vk.runtime.device import Device
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array

LAYOUTS = (AUTO, NCHW, NHWC)


class HostValue:
    """An array of the host among the arguments of a compiled function: equal by its elements."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self._key = array.shape, array.dtype.str, array.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HostValue) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


class Model:
    """A model on a device. `load` makes it.

    The first run for each signature of inputs records a program, and later ones repeat it. Models
    that need values on the way run node by node instead; `explain` says why.
    """

    def __init__(self, graph: Graph, device: Device, layout: str, dtype: DType | None) -> None:
        self.device = device
        self.layout = layout
        self._graph = graph
        self._machine = Machine(device, dtype)
        fold(self._machine, graph)
        self._joined = fold_norms(self._machine, graph)
        self._converted = 0 if layout == NCHW else convert(self._machine, graph)
        self._on_host = wanted_on_host(graph)
        self._compiled = compiled(self._forward, static_argnums=0, layout=layout)
        self._reason = ""  # why it runs node by node

    @property
    def inputs(self) -> dict[str, Declared]:
        """What it takes, by name: dtypes and shapes, whose sizes may be names or unknown."""
        return {declared.name: declared for declared in self._graph.inputs}

    @property
    def outputs(self) -> dict[str, Declared]:
        """What it returns, by name."""
        return {declared.name: declared for declared in self._graph.outputs}

    def __call__(self, *args: object, **named: object) -> dict[str, Value]:
        """Run it on inputs in their order, or by name."""
        names = list(self.inputs)
        if len(args) > len(names):
            rule = "a model takes as many arguments as it has inputs"
            raise ModelError("Model", rule, inputs=names, arguments=len(args))
        return self.run({**dict(zip(names, args)), **named})

    def run(self, feeds: Mapping[str, object]) -> dict[str, Value]:
        """Return the outputs, by name, for these inputs: tensors, or what makes them.

        >>> import onnx.parser
        >>> from dml_vk.onnx import load
        >>> text = '''<ir_version: 9, opset_import: ["": 20]>
        ... f (float[n] x, float[n] y) => (float[n] z) {z = Add(x, y)}'''
        >>> model = load(onnx.parser.parse_model(text))
        >>> model.run({"x": [1.0, 2.0], "y": [0.5, 0.5]})["z"].tolist()
        [1.5, 2.5]
        """
        return self._named(self._run(self._values(feeds), self._compiled))

    def measure(self, feeds: Mapping[str, object]) -> tuple[dict[str, Value], list[NodeTime]]:
        """Run it with its kernels one by one: the outputs, and how long each node took.

        >>> import onnx.parser
        >>> from dml_vk.onnx import load
        >>> text = '''<ir_version: 9, opset_import: ["": 20]>
        ... f (float[n] x) => (float[n] y) {y = Exp(x)}'''
        >>> outputs, times = load(onnx.parser.parse_model(text)).measure({"x": [0.0]})
        >>> times[0].nodes, times[0].us > 0
        (('Exp(y)',), True)
        """
        values = self._values(feeds)
        if not self._reason:
            results = self._run(values, self._compiled.measure)
            program = self._compiled.measured
            if program is not None:
                return self._named(results), times_of(program)
        results, times = node_by_node(self._machine, self._graph, values)
        return self._named(list(map(self._tensor, results))), times

    def explain(self) -> str:
        """Describe how it runs: the kernels of its programs, or why it runs node by node."""
        lines = [f"{count} x {what} as one" for what, count in sorted(self._joined.items())]
        if self._converted:
            lines.append(f"{self._converted} weights of convolutions are kept as channels_last")
        if self._reason:
            lines.append(f"node by node, since {self._reason}")
        else:
            lines.append(self._compiled.explain() or "not run yet")
        return "\n".join(lines)

    def _values(self, feeds: Mapping[str, object]) -> list[Value]:
        declared = self.inputs
        if feeds.keys() != declared.keys():
            rule = "inputs must be given by their names"
            raise ModelError("run", rule, inputs=list(declared), given=list(feeds))
        sizes: dict[str, int] = {}
        return [self._fed(expected, feeds[name], sizes) for name, expected in declared.items()]

    def _named(self, results: list[Value]) -> dict[str, Value]:
        return {declared.name: value for declared, value in zip(self._graph.outputs, results)}

    def _run(self, values: list[Value], run: Callable[..., list[Value]]) -> list[Value]:
        if not self._reason:
            try:
                static = {
                    index: HostValue(value)
                    for index, value in enumerate(values)
                    if isinstance(value, np.ndarray)
                }
                rest = [None if index in static else value for index, value in enumerate(values)]
                return list(run(tuple(static.items()), rest))
            except CaptureError as error:
                self._reason = str(error)
        return self._results(values)

    def _forward(
        self, static: tuple[tuple[int, HostValue], ...], values: list[Value]
    ) -> list[Value]:
        values = list(values)
        for index, constant in static:
            values[index] = constant.array
        return self._results(values)

    def _results(self, values: list[Value]) -> list[Value]:
        results = execute(self._machine, self._graph, values, {})
        return [self._tensor(value) for value in results]

    def _tensor(self, value: Value) -> Value:
        if isinstance(value, list):
            return [self._tensor(element) for element in value]
        return self._machine.tensor(value) if isinstance(value, np.ndarray) else value

    def _fed(self, declared: Declared, value: object, sizes: dict[str, int]) -> Value:
        """An input as a tensor, or as an array where the host needs its values."""
        if isinstance(value, (list, tuple)) and declared.dtype is None:
            element = Declared(declared.name, None, None)
            return [self._fed(element, part, {}) for part in value]
        if value is None:
            return None
        if isinstance(value, Tensor):
            array: Tensor | Array = value
        else:
            wanted = None if declared.dtype is None else declared.dtype.numpy_name
            array = np.asarray(value, None if isinstance(value, np.ndarray) else wanted)
        if declared.dtype is not None and declared.dtype != array.dtype:
            rule = f"input {declared.name} must be of dtype {declared.dtype.name}"
            if self._machine.dtype is None or array.dtype != self._machine.dtype:
                raise ModelError("run", rule, dtype=array.dtype)
        self._check_shape(declared, tuple(array.shape), sizes)
        if isinstance(array, Tensor):
            return self._formatted(array)
        if declared.name in self._on_host:
            return array
        array = self._machine.wanted(array)
        if self.layout == NHWC and array.ndim == 4:
            return asarray(array, device=self.device, memory_format=channels_last)
        return asarray(array, device=self.device)

    def _formatted(self, x: Tensor) -> Tensor:
        if self.layout == AUTO or x.ndim != 4:
            return x
        return x.to(channels_last if self.layout == NHWC else contiguous_format)

    def _check_shape(
        self, declared: Declared, shape: tuple[int, ...], sizes: dict[str, int]
    ) -> None:
        if declared.shape is None:
            return
        fits = len(shape) == len(declared.shape)
        for size, wanted in zip(shape, declared.shape):
            if isinstance(wanted, str):
                wanted = sizes.setdefault(wanted, size)
            fits = fits and wanted in (None, size)
        if not fits:
            rule = f"input {declared.name} must have the shape {declared.shape}"
            raise LayoutError("run", rule, shape=shape, sizes=sizes)
