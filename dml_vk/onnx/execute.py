"""Runs a graph, node by node, on tensors and on values of the host."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import dml_vk as dv
from dml_vk.errors import DmlVkError, ModelError
from dml_vk.observe.callers import named
from dml_vk.onnx.context import Context, Value
from dml_vk.onnx.graph import Graph, Node
from dml_vk.onnx.machine import Machine
from dml_vk.onnx.registry import ON_HOST, ONNX

Evaluates = Callable[[Machine, Node, Mapping[str, Value]], list[Value]]
MOST_ON_HOST = 2**12  # elements of what the host computes


def execute(
    machine: Machine,
    graph: Graph,
    inputs: list[Value],
    outer: Mapping[str, Value],
    each: Evaluates | None = None,
) -> list[Value]:
    """Return the outputs of a graph for these inputs; `outer` has the names around it.

    Each of its nodes is run by `each`, which is `evaluate` unless somebody watches.
    """
    if len(inputs) != len(graph.inputs):
        rule = "a graph must get as many values as it has inputs"
        raise ModelError(graph.name, rule, inputs=len(graph.inputs), values=len(inputs))
    own: dict[str, Value] = dict(graph.constants)
    own.update((declared.name, value) for declared, value in zip(graph.inputs, inputs))
    values = ChainMap(own, outer)  # type: ignore[arg-type]  # the outer names are only read
    for node, ended in zip(graph.nodes, graph.ends):
        results = (each or evaluate)(machine, node, values)
        own.update((name, value) for name, value in zip(node.outputs, results) if name)
        for name in ended:
            own.pop(name, None)
    return [values[output.name] if output.name else None for output in graph.outputs]


def evaluate(machine: Machine, node: Node, values: Mapping[str, Value]) -> list[Value]:
    """Return the outputs of one node, whose inputs are among the values."""
    inputs = [values[name] if name else None for name in node.inputs]
    if node.body is not None:
        # Inputs that a call leaves out are absent in the function.
        inputs += [None] * (len(node.body.inputs) - len(inputs))
        return execute(machine, node.body, inputs, {})
    context = Context(node, machine, values, partial(execute, machine))
    try:
        with named(node.label):
            computed = _on_host(context, inputs)
            if computed is None:
                computed = _on_device(context, inputs)
    except DmlVkError as error:
        raise _named(error, context.name) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # What a model says about shapes and attributes may be anything.
        rule = "inputs and attributes must fit the operator"
        raise ModelError(context.name, rule, error=repr(error)) from error
    results = list(computed) if isinstance(computed, tuple) else [computed]
    if len(results) < len(node.outputs):
        rule = "a node must not have more outputs than its operator gives"
        raise ModelError(context.name, rule, outputs=node.outputs, given=len(results))
    return results


def _on_host(context: Context, inputs: list[Value]) -> object:
    """What the host computes from values that it has, or None."""
    function = ON_HOST.get(context.node.op) if context.node.domain == ONNX else None
    if function is None:
        return None
    if not any(isinstance(value, np.ndarray) for value in inputs):
        return None
    size = 0
    for value in inputs:
        if value is not None and not isinstance(value, np.ndarray):
            return None
        size += 0 if value is None else value.size
    if size > MOST_ON_HOST:
        return None
    context.xp = np
    computed = function(context, *inputs)
    context.xp = dv
    return tuple(map(np.asarray, computed)) if isinstance(computed, (tuple, list)) else computed


def _on_device(context: Context, values: list[Value]) -> Any:
    operator: Any = context.node.operator
    if operator.raw is True:
        return operator.function(context, *values)
    inputs: list[Value] = []
    for index, value in enumerate(values):
        if value is None:
            inputs.append(None)
        elif operator.wants_host(index):
            inputs.append(context.array(value))
        else:
            inputs.append(context.tensor(value))
    return operator.function(context, *inputs)


def _named(error: DmlVkError, name: str) -> DmlVkError:
    """The error, which says in which node it was."""
    if name in error.op:
        return error
    return error.renamed(f"{name}: {error.op}")
