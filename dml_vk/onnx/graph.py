"""Graphs that were checked: nodes in an order that they can run in, and where values end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dml_vk.dtypes import DType
from dml_vk.errors import ModelError
from dml_vk.onnx.registry import ONNX, Operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array

# A dtype's number and a shape of each input that is there.
Types = tuple["tuple[int, tuple[int, ...]] | None", ...]


@dataclass(frozen=True)
class Declared:
    """An input or output: its dtype, if it is a tensor, and its shape, whose sizes may be names."""

    name: str
    dtype: DType | None
    shape: tuple[int | str | None, ...] | None


@dataclass(eq=False)
class Node:
    """A call of an operator, or of a function of the model, which is its `body`."""

    name: str
    op: str
    domain: str
    opset: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    operator: Operator | None = None
    body: Graph | None = None
    activation: tuple[str, dict[str, float]] | None = None  # one that it ends with
    narrow: int = 0  # the element type of its results, if it is a constant of 2 or 4 bits
    proto: Any = None  # where its function depends on the types of its inputs
    expansions: dict[Types, Graph] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.op}({self.name})" if self.name else self.op

    @property
    def label(self) -> str:
        """How it is told from others: by its name, or by its first result."""
        return str(self) if self.name or not self.outputs else f"{self.op}({self.outputs[0]})"

    def get(self, name: str, default: object = None) -> Any:
        return self.attributes.get(name, default)

    @property
    def graphs(self) -> Iterator[Graph]:
        """The graphs among its attributes."""
        yield from [value for value in self.attributes.values() if isinstance(value, Graph)]

    @property
    def needs(self) -> Iterator[str]:
        """What must be known before it runs: its inputs, and what its graphs take from outside."""
        yield from [name for name in self.inputs if name]
        for graph in self.graphs:
            yield from graph.free


@dataclass(eq=False)
class Graph:
    """Nodes in an order that they can run in; `free` are the names that it takes from outside."""

    name: str
    inputs: list[Declared]
    outputs: list[Declared]
    constants: dict[str, Array | Tensor]  # tensors were computed from others
    nodes: list[Node]
    free: tuple[str, ...] = ()
    ends: list[list[str]] = field(default_factory=list)  # after each node: names not used again
    narrow: dict[str, int] = field(default_factory=dict)  # element types of small constants


def checked(
    what: str,
    name: str,
    inputs: list[Declared],
    outputs: list[Declared],
    constants: dict[str, Array | Tensor],
    nodes: list[Node],
    *,
    is_inner: bool = False,
) -> Graph:
    """Return a graph whose names are each made once, and whose nodes have no cycles.

    Only an inner graph may take names from outside.
    """
    origins: dict[str, int] = {declared.name: -1 for declared in inputs} | dict.fromkeys(
        constants, -1
    )
    if len({declared.name for declared in inputs}) != len(inputs):
        rule = "inputs of a graph must have names of their own"
        raise ModelError(what, rule, graph=name, inputs=[declared.name for declared in inputs])
    for position, node in enumerate(nodes):
        for output in filter(None, node.outputs):
            if output in origins:
                rule = "a value name is defined twice"
                raise ModelError(what, rule, graph=name, node=str(node), name=output)
            origins[output] = position
    ordered = _in_order(what, name, nodes, origins)
    needed = [value for node in ordered for value in node.needs]
    needed += [output.name for output in outputs if output.name]
    free = tuple(dict.fromkeys(value for value in needed if value not in origins))
    if free and not is_inner:
        rule = "the graph uses names that nothing defines"
        raise ModelError(what, rule, graph=name, names=free[:8])
    return Graph(name, inputs, outputs, constants, ordered, free, ends_of(ordered, outputs))


def _in_order(what: str, name: str, nodes: list[Node], origins: Mapping[str, int]) -> list[Node]:
    """The nodes in an order that they can run in: the given one, where that is possible."""
    before = [
        {origins[value] for value in node.needs if origins.get(value, -1) >= 0} for node in nodes
    ]
    after: list[list[int]] = [[] for _ in nodes]
    for position, places in enumerate(before):
        for earlier in places:
            after[earlier].append(position)
    if all(max(places, default=-1) < position for position, places in enumerate(before)):
        return nodes
    ready = [position for position, places in enumerate(before) if not places]
    waits = [len(places) for places in before]
    ordered = []
    while ready:
        position = ready.pop(0)
        ordered.append(nodes[position])
        for later in after[position]:
            waits[later] -= 1
            if not waits[later]:
                ready.append(later)
    if len(ordered) < len(nodes):
        left = [str(nodes[position]) for position, count in enumerate(waits) if count]
        rule = "the graph has a cycle"
        raise ModelError(what, rule, graph=name, nodes=left[:8])
    return ordered


def ends_of(nodes: list[Node], outputs: list[Declared]) -> list[list[str]]:
    """The names that each node is the last to use, or makes for nobody."""
    ends: list[list[str]] = []
    seen = {output.name for output in outputs}
    for node in reversed(nodes):
        names = dict.fromkeys([*node.needs, *filter(None, node.outputs)])
        ends.append([value for value in names if value not in seen])
        seen.update(names)
    return ends[::-1]


def is_onnx(domain: str) -> bool:
    return domain in (ONNX, "ai.onnx")
