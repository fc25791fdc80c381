"""If, Loop and Scan; the host reads their conditions and counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import dml_vk as dv
from dml_vk.onnx.context import Context, Value
from dml_vk.onnx.graph import Declared, Graph
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


@operator("If", host=(0,))
def branch(node: Context, condition: Value) -> Value:
    return tuple(node.run(node["then_branch" if condition.all() else "else_branch"], []))


@operator("Loop", raw=True, host=(0, 1))
def loop(node: Context, count: Value = None, condition: Value = None, *carried: Value) -> Value:
    """Run the body up to `count` times, while the condition is true."""
    body: Graph = node["body"]
    most = None if count is None else int(node.array(count).reshape(()))
    goes_on = True if condition is None else bool(node.array(condition).all())
    state = list(carried)
    rows: list[list[Value]] = [[] for _ in body.outputs[1 + len(state) :]]
    number = 0
    while goes_on and (most is None or number < most):
        arguments = [np.array(number, np.int64), np.array(True), *state]
        results = node.run(body, arguments)
        goes_on = bool(node.array(results[0]).all())
        state = results[1 : 1 + len(state)]
        for row, result in zip(rows, results[1 + len(state) :]):
            row.append(result)
        number += 1
    declared = body.outputs[1 + len(state) :]
    return (*state, *[_stacked(node, row, output, 0) for row, output in zip(rows, declared)])


@operator("Scan", raw=True)
def scan(node: Context, *inputs: Value) -> Value:
    """Run the body for each slice of the scanned inputs; before opset 9, per batch."""
    if node.opset >= 9:
        return _scanned(node, inputs)
    lengths, *values = inputs
    if lengths is not None:
        raise node.refuse("sequences must be as long as their tensor", lengths=lengths)
    tensors = [node.tensor(value) for value in values]
    results = [
        _scanned(node, [tensor[index] for tensor in tensors])
        for index in range(tensors[0].shape[0])
    ]
    return tuple(dv.stack([node.tensor(value) for value in column]) for column in zip(*results))


def _scanned(node: Context, values: Sequence[Value]) -> tuple[Value, ...]:
    body: Graph = node["body"]
    scanned = node["num_scan_inputs"]
    before = len(values) - scanned
    state, inputs = list(values[:before]), [node.tensor(value) for value in values[before:]]
    outputs = body.outputs[before:]
    axes = node.get("scan_input_axes") or [0] * scanned
    names = ("scan_input_directions", "directions")
    turned = next((node.get(name) for name in names if node.get(name)), [0] * scanned)
    steps = {tensor.shape[axis] for tensor, axis in zip(inputs, axes)}
    if len(steps) != 1:
        shapes = [tensor.shape for tensor in inputs]
        raise node.refuse("scanned inputs must have one length", shapes=shapes, axes=axes)
    count = steps.pop()
    rows: list[list[Value]] = [[] for _ in outputs]
    for step in range(count):
        slices = [
            _at(tensor, axis, count - 1 - step if back else step)
            for tensor, axis, back in zip(inputs, axes, turned)
        ]
        results = node.run(body, [*state, *slices])
        state = results[:before]
        for row, value in zip(rows, results[before:]):
            row.append(value)
    axes = node.get("scan_output_axes") or [0] * len(outputs)
    turned = node.get("scan_output_directions") or [0] * len(outputs)
    rows = [row[::-1] if back else row for row, back in zip(rows, turned)]
    stacks = [_stacked(node, row, output, axis) for row, output, axis in zip(rows, outputs, axes)]
    return (*state, *stacks)


def _at(x: Tensor, axis: int, index: int) -> Tensor:
    cut: list[slice | int] = [slice(None)] * x.ndim
    cut[axis] = index
    return x[tuple(cut)]


def _stacked(node: Context, row: list[Value], declared: Declared, axis: int) -> Value:
    """The results of all iterations, stacked; an empty tensor if there were none."""
    if row and all(isinstance(element, np.ndarray) for element in row):
        return np.stack(row, axis)
    if row:
        return dv.stack([node.tensor(element) for element in row], axis=axis)
    sizes = [element if isinstance(element, int) else 0 for element in declared.shape or ()]
    sizes.insert(axis, 0)
    dtype = dv.float32 if declared.dtype is None else declared.dtype
    return dv.empty(tuple(sizes), dtype, device=node.machine.device)
