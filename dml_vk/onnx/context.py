"""What an operator's function knows of its node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

import dml_vk as dv
from dml_vk.dtypes import DType
from dml_vk.errors import ModelError
from dml_vk.onnx.graph import Graph, Node
from dml_vk.onnx.machine import Machine
from dml_vk.random import Generator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array

Value = Any  # a Tensor, an array of the host, a list of these, or None
Values = TypeVar("Values", Tensor, Array)  # all on the device, or all on the host
Runs = Callable[[Graph, list[Value], Mapping[str, Value]], list[Value]]


class Context:
    """A node that runs: its attributes by name, and values on the device or on the host."""

    def __init__(
        self, node: Node, machine: Machine, scope: Mapping[str, Value], runs: Runs
    ) -> None:
        self.node = node
        self.machine = machine
        self.xp: ModuleType = dv
        """The library of the values: dml_vk, or NumPy for those of the host."""
        self._scope = scope
        self._runs = runs

    @property
    def name(self) -> str:
        return str(self.node)

    @property
    def opset(self) -> int:
        return self.node.opset

    @property
    def count(self) -> int:
        """How many outputs it has."""
        return len(self.node.outputs)

    def wants(self, index: int) -> bool:
        """Whether somebody may use the output at a place."""
        return index < len(self.node.outputs) and self.node.outputs[index] != ""

    def __getitem__(self, name: str) -> Any:
        """Return an attribute that must be there, if only as the schema's default."""
        if name not in self.node.attributes:
            raise ModelError(self.name, "an attribute is missing", attribute=name)
        return self.node.attributes[name]

    def get(self, name: str, default: object = None) -> Any:
        return self.node.attributes.get(name, default)

    def refuse(self, rule: str, **got: object) -> ModelError:
        """An error of this node."""
        return ModelError(self.name, rule, **got)

    def tensor(self, value: Value) -> Tensor:
        """Return a value as a tensor on the device."""
        if isinstance(value, Tensor):
            return value
        if isinstance(value, np.ndarray):
            return self.machine.tensor(value)
        raise self.refuse("an input must be a tensor", type=type(value).__name__)

    def array(self, value: Value) -> Array:
        """Return a value as an array on the host, for which the device may have to be waited."""
        return value if isinstance(value, np.ndarray) else self.tensor(value).numpy()

    def dtype(self, number: int) -> DType:
        """The dtype of a number of TensorProto.DataType."""
        return self.machine.to_dtype(self.name, number)

    def generator(self) -> Generator:
        return self.machine.generator(self.node, self.get("seed"))

    def run_alone(self, graph: Graph, inputs: list[Value]) -> list[Value]:
        """Run a graph that takes nothing from outside."""
        return self._runs(graph, inputs, {})

    def run(self, graph: Graph, inputs: list[Value]) -> list[Value]:
        """Run a graph among the attributes, which may take names from outside."""
        return self._runs(graph, inputs, self._scope)
