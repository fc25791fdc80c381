"""If, Loop and Scan: their conditions and counts are read on the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import dml_vk as dv
from dml_vk.onnx.context import Context, Value
from dml_vk.onnx.graph import Declared, Graph
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


@operator("If", host=(0,))
def branch(node: Context, condition: Any) -> Value:
    return tuple(node.run(node["then_branch" if condition.all() else "else_branch"], []))


@operator("Loop", raw=True, host=(0, 1))
def loop(node: Context, count: Value = None, condition: Value = None, *carried: Value) -> Value:
    """Run the body as often as the count says, as long as the condition holds."""
    body: Graph = node["body"]
    most = None if count is None else int(node.array(count).reshape(()))
    goes_on = True if condition is None else bool(node.array(condition).all())
    state = list(carried)
    rows: list[list[Value]] = [[] for _ in body.outputs[1 + len(state) :]]
    place = 0
    while goes_on and (most is None or place < most):
        given = [np.array(place, np.int64), np.array(True), *state]
        results = node.run(body, given)
        goes_on = bool(node.array(results[0]).all())
        state = results[1 : 1 + len(state)]
        for row, one in zip(rows, results[1 + len(state) :]):
            row.append(one)
        place += 1
    declared = body.outputs[1 + len(state) :]
    return (*state, *[_stacked(node, row, one, 0) for row, one in zip(rows, declared)])


@operator("Scan", raw=True)
def scan(node: Context, *given: Value) -> Value:
    """Run the body for each slice of its scanned inputs; before opset 9 for each batch too."""
    if node.opset >= 9:
        return _scanned(node, given)
    lengths, *values = given
    if lengths is not None:
        raise node.refuse("sequences must be as long as their tensor", lengths=lengths)
    tensors = [node.tensor(one) for one in values]
    found = [
        _scanned(node, [one[place] for one in tensors]) for place in range(tensors[0].shape[0])
    ]
    return tuple(dv.stack([node.tensor(one) for one in column]) for column in zip(*found))


def _scanned(node: Context, given: Sequence[Value]) -> tuple[Value, ...]:
    body: Graph = node["body"]
    scanned = node["num_scan_inputs"]
    before = len(given) - scanned
    state, inputs = list(given[:before]), [node.tensor(one) for one in given[before:]]
    outputs = body.outputs[before:]
    axes = node.get("scan_input_axes") or [0] * scanned
    names = ("scan_input_directions", "directions")
    turned = next((node.get(name) for name in names if node.get(name)), [0] * scanned)
    steps = {one.shape[axis] for one, axis in zip(inputs, axes)}
    if len(steps) != 1:
        shapes = [one.shape for one in inputs]
        raise node.refuse("scanned inputs must have one length", shapes=shapes, axes=axes)
    count = steps.pop()
    rows: list[list[Value]] = [[] for _ in outputs]
    for step in range(count):
        slices = [
            _at(one, axis, count - 1 - step if back else step)
            for one, axis, back in zip(inputs, axes, turned)
        ]
        results = node.run(body, [*state, *slices])
        state = results[:before]
        for row, one in zip(rows, results[before:]):
            row.append(one)
    axes = node.get("scan_output_axes") or [0] * len(outputs)
    turned = node.get("scan_output_directions") or [0] * len(outputs)
    rows = [row[::-1] if back else row for row, back in zip(rows, turned)]
    found = [_stacked(node, row, one, axis) for row, one, axis in zip(rows, outputs, axes)]
    return (*state, *found)


def _at(x: Tensor, axis: int, place: int) -> Tensor:
    cut: list[Any] = [slice(None)] * x.ndim
    cut[axis] = place
    return x[tuple(cut)]


def _stacked(node: Context, row: list[Value], declared: Declared, axis: int) -> Value:
    """The results of all rounds as one value; of none, one without elements."""
    if row and all(isinstance(one, np.ndarray) for one in row):
        return np.stack(row, axis)
    if row:
        return dv.stack([node.tensor(one) for one in row], axis=axis)
    sizes = [one if isinstance(one, int) else 0 for one in declared.shape or ()]
    sizes.insert(axis, 0)
    dtype = dv.float32 if declared.dtype is None else declared.dtype
    return dv.empty(tuple(sizes), dtype, device=node.machine.device)
