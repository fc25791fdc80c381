"""How long the nodes of a model take."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import NamedTuple

from dml_vk.compiler.program import Program
from dml_vk.compiler.report.explain import launches_of
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.dispatches import USERS_KERNEL
from dml_vk.onnx.context import Value
from dml_vk.onnx.execute import evaluate, execute
from dml_vk.onnx.graph import Graph, Node
from dml_vk.onnx.machine import Machine


class NodeTime(NamedTuple):
    """A node, or several that share kernels, and how long they took."""

    nodes: tuple[str, ...]
    kernels: tuple[str, ...]  # empty if the model runs node by node
    us: float


def times_of(program: Program) -> list[NodeTime]:
    """The times of a program that was measured, in the order of its kernels."""
    kernels: dict[tuple[str, ...], list[str]] = {}
    spent: dict[tuple[str, ...], float] = {}
    for launch, us in zip(launches_of(program), program.times):
        work, parts = launch.work, launch.parts or (launch,)
        nodes = tuple(dict.fromkeys(part.caller.op for part in parts))
        kernel = work.module if isinstance(work, Plan) else USERS_KERNEL
        kernels.setdefault(nodes, []).append(kernel)
        spent[nodes] = spent.get(nodes, 0.0) + us
    return [NodeTime(nodes, tuple(kernels[nodes]), us) for nodes, us in spent.items()]


def node_by_node(
    machine: Machine, graph: Graph, values: list[Value]
) -> tuple[list[Value], list[NodeTime]]:
    """Run a graph, and wait for the device after each node: its outputs, and the times."""
    times: list[NodeTime] = []

    def timed(machine: Machine, node: Node, values: Mapping[str, Value]) -> list[Value]:
        began = perf_counter()
        results = evaluate(machine, node, values)
        machine.device.synchronize()
        times.append(NodeTime((node.label,), (), (perf_counter() - began) * 1e6))
        return results

    return execute(machine, graph, values, {}, timed), times
