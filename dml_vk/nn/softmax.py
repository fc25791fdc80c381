"""Softmax and its relatives, over any axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from dml_vk.arguments import Axes, Ints
from dml_vk.array.calls import call
from dml_vk.array.statistics.reductions import call_axes, reduce_into, reduced_axes, reduced_target
from dml_vk.dtypes import float64, int64, uint32
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.kernels.plan.gather import Step
from dml_vk.layout import Layout
from dml_vk.nn.float64 import norms as float64_norms
from dml_vk.nn.operands import floats
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.gather import add_places
from dml_vk.ops.rows import finish, pairs_of, write_rows
from dml_vk.ops.scatter import scatter
from dml_vk.ops.view import View, temporary, with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over
from dml_vk.tracing.formats import operation


@hinted
def softmax(x: Tensor, *, axis: Axes = -1, out: Tensor | None = None) -> Tensor:
    """Return exp(x) divided by its sum over these axes. Large elements do not overflow.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[0.0, 0.0, 0.0, 0.0], [1000.0, 1000.0, 0.0, 0.0]])
    >>> dml_vk.nn.softmax(x).tolist()
    [[0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0.0, 0.0]]
    """
    return _over_rows("softmax", "exp_sum", x, axis, out)


@hinted
def log_softmax(x: Tensor, *, axis: Axes = -1, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of softmax over these axes, accurate also where softmax is 0.

    >>> import dml_vk
    >>> dml_vk.nn.log_softmax(dml_vk.asarray([0.0, -1000.0])).tolist()
    [0.0, -1000.0]
    """
    return _over_rows("log_softmax", "log_sum", x, axis, out)


@hinted
def logsumexp(
    x: Tensor, *, axis: Axes = -1, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the logarithm of the sum of exp(x) over these axes. Large elements do not overflow.

    >>> import dml_vk
    >>> dml_vk.nn.logsumexp(dml_vk.asarray([[1000.0, -1000.0], [-3.0, -300.0]])).tolist()
    [1000.0, -3.0]
    """
    what = "logsumexp"
    axes, keepdims = call_axes(what, x, _axes(what, axis), keepdims)
    return call(_log_sum, (x,), out, axes, keepdims)


@hinted
def hardmax(x: Tensor, *, axis: Axes = -1, out: Tensor | None = None) -> Tensor:
    """Return 1 for the first largest element, or the first NaN, over these axes, and 0 elsewhere.

    >>> import dml_vk
    >>> dml_vk.nn.hardmax(dml_vk.asarray([[1.0, 3.0, 3.0], [2.0, 0.0, 1.0]])).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    axes, _ = call_axes("hardmax", x, _axes("hardmax", axis), False)
    return call(_first_largest, (x,), out, axes)


def _axes(what: str, axis: object) -> Any:
    if axis is None:
        raise LayoutError(what, "axis must be an integer or a tuple of integers", axis=axis)
    return axis


def _over_rows(what: str, pair: str, x: Tensor, axis: object, out: Tensor | None) -> Tensor:
    axes, _ = call_axes(what, x, _axes(what, axis), False)
    return call(_finished, (x,), out, what, pair, axes)


@operation(flexible="first")
def _finished(
    operands: Sequence[object], out: Tensor | None, what: str, pair: str, axis: Any
) -> Tensor:
    x = floats(what, operands[0])
    axes = reduced_axes(what, x, axis)
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if x.size and x.dtype is float64:
        float64_norms.softmax(what, x, axes, target)
    elif x.size and not write_rows(what, pair, what, x, target, axes):
        finish(what, what, [x, pairs_of(what, pair, x, axes)], target)
    return target


@operation(flexible="first")
def _log_sum(operands: Sequence[object], out: Tensor | None, axis: Any, keepdims: bool) -> Tensor:
    what = "logsumexp"
    x = floats(what, operands[0])
    axes = reduced_axes(what, x, axis)
    target = reduced_target(what, x, axes, keepdims, x.dtype, out)
    if x.size and x.dtype is float64:
        float64_norms.log_sum(x, axes, keepdims, target)
    elif x.size:
        pairs = pairs_of(what, "log_sum", x, axes)
        if not keepdims:
            pairs = with_layout(pairs, pairs.layout.squeeze(axes))
        finish(what, "log_sum_exp", [pairs], target)
    else:
        fill_constant(what, target, target.dtype, -inf)
    return target


@operation(flexible="first")
def _first_largest(operands: Sequence[object], out: Tensor | None, axis: Any) -> Tensor:
    what = "hardmax"
    x = floats(what, operands[0])
    axes = reduced_axes(what, x, axis)
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if not x.size:
        return target
    largest = reduced_target(what, x, axes, True, int64, None)
    reduce_into(what, "argmax", x, axes, largest, True)
    fill_constant(what, target, target.dtype, 0)
    ones = temporary(what, Layout((1,) * x.ndim), target.dtype, x)
    fill_constant(what, ones, target.dtype, 1)
    every, strides = tuple(range(x.ndim)), target.strides
    source = with_layout(ones, ones.layout.expand(largest.shape))
    scatter(what, source, _places(what, largest, axes, target), every, target, strides, 1, None)
    return target


def _places(what: str, index: Tensor, axes: Ints, target: Tensor) -> View:
    """Return the distance in memory from the first element of a row to the one at its index."""
    so_far = temporary(what, Layout(index.shape), uint32, index)
    fill_constant(what, so_far, uint32, 0)
    inner = 1
    for dim in reversed(axes):
        size, before = target.shape[dim], so_far
        so_far = temporary(what, Layout(index.shape), uint32, index)
        add_places(before, index, so_far, Step(target.strides[dim], 0, inner, size))
        inner *= size
    return with_layout(so_far, Layout((1, index.size)))
