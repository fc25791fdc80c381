"""Concat and Split."""

from __future__ import annotations

import itertools

import dml_vk as dv
from dml_vk.onnx.context import Context, Values
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


@operator("Concat")
def concat(node: Context, *xs: Tensor) -> Tensor:
    return xs[0] if len(xs) == 1 else dv.concat(xs, axis=node["axis"])


@operator("Split", host=(1,), of_arrays=True)
def split(node: Context, x: Values, sizes: Array | None = None) -> tuple[Values, ...]:
    axis = node.get("axis", 0)
    ends = list(itertools.accumulate(split_sizes(node, x.shape[axis], sizes)))
    return tuple(node.xp.split(x, ends[:-1], axis=axis))


def split_sizes(node: Context, size: int, sizes: Array | None) -> list[int]:
    """Sizes of the parts, from an input (opset 13) or an attribute (before); equal by default."""
    asked = node.get("split") if node.opset < 13 else sizes
    if asked is not None:
        wanted = [int(part) for part in asked]
        if sum(wanted) != size or min(wanted, default=0) < 0 or len(wanted) != node.count:
            rule = "sizes of parts must add up to that of the axis, one for each output"
            raise node.refuse(rule, size=size, parts=wanted, outputs=node.count)
        return wanted
    count = node.get("num_outputs") or node.count
    each = -(-size // count)
    return [max(min(each, size - number * each), 0) for number in range(count)]
