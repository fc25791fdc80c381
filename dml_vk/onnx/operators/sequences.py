"""Sequences of tensors, which are lists, and optional values, which may be None."""

from __future__ import annotations

from typing import Any

import numpy as np

import dml_vk as dv
from dml_vk.onnx.context import Context, Value
from dml_vk.onnx.graph import Graph
from dml_vk.onnx.registry import operator
from dml_vk.tensor.host import Array


@operator("SequenceConstruct", first=11, raw=True)
def construct(node: Context, *values: Value) -> list[Value]:
    return list(values)


@operator("SequenceEmpty", first=11, raw=True)
def empty(node: Context) -> list[Value]:
    return []


@operator("SequenceLength", first=11, raw=True)
def length(node: Context, values: list[Value]) -> Array:
    return np.array(len(values), np.int64)


@operator("SequenceAt", first=11, raw=True, host=(1,))
def at(node: Context, values: list[Value], position: Value) -> Value:
    return values[_index(node, position, values, len(values) - 1)]


@operator("SequenceInsert", first=11, raw=True, host=(2,))
def insert(node: Context, values: list[Value], value: Value, position: Value = None) -> list[Value]:
    where = len(values) if position is None else _index(node, position, values, len(values))
    return [*values[:where], value, *values[where:]]


@operator("SequenceErase", first=11, raw=True, host=(1,))
def erase(node: Context, values: list[Value], position: Value = None) -> list[Value]:
    where = len(values) - 1 if position is None else _index(node, position, values, len(values) - 1)
    return [*values[:where], *values[where + 1 :]]


def _index(node: Context, position: Value, values: list[Value], most: int) -> int:
    """An index of a sequence; negative ones count from the end."""
    index = int(node.array(position).reshape(()))
    wanted = index + len(values) if index < 0 else index
    if not 0 <= wanted <= most:
        raise node.refuse("a place must be in the sequence", place=index, most=most)
    return wanted


@operator("SplitToSequence", first=11, raw=True, host=(1,))
def split(node: Context, value: Value, sizes: Value = None) -> list[Value]:
    """Split into parts of these sizes, or of one size; by default into slices of size 1."""
    x, axis = node.tensor(value), node["axis"]
    count = x.shape[axis]
    if sizes is None:
        parts = dv.split(x, list(range(1, count)), axis=axis) if count else []
        return list(parts) if node["keepdims"] else [dv.squeeze(part, axis=axis) for part in parts]
    lengths = node.array(sizes)
    if lengths.ndim:
        ends = [int(part) for part in np.cumsum(lengths)]
        if ends[-1:] != [count]:
            raise node.refuse("sizes of parts must add up to that of the axis", parts=lengths)
        return list(dv.split(x, ends[:-1], axis=axis))
    return list(dv.split(x, list(range(int(lengths), count, int(lengths))), axis=axis))


@operator("ConcatFromSequence", first=11, raw=True)
def concat(node: Context, values: list[Value]) -> Value:
    tensors = [node.tensor(value) for value in values]
    join: Any = dv.stack if node["new_axis"] else dv.concat
    return join(tensors, axis=node["axis"])


@operator("SequenceMap", first=17, raw=True)
def apply(node: Context, values: list[Value], *others: Value) -> tuple[list[Value], ...]:
    """Run the body on each element, with those of other sequences; tensors are repeated."""
    body: Graph = node["body"]
    rows = []
    for index, value in enumerate(values):
        beside = [other[index] if isinstance(other, list) else other for other in others]
        rows.append(node.run(body, [value, *beside]))
    return tuple([row[index] for row in rows] for index in range(len(body.outputs)))


@operator("Optional", first=15, raw=True)
def optional(node: Context, value: Value = None) -> Value:
    return value


@operator("OptionalHasElement", first=15, raw=True)
def has_element(node: Context, value: Value = None) -> Array:
    return np.array(value is not None)


@operator("OptionalGetElement", first=15, raw=True)
def get_element(node: Context, value: Value) -> Value:
    if value is None:
        raise node.refuse("an optional must have an element", value=value)
    return value
