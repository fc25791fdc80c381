"""Losses of a classification: the logarithms of probabilities at the classes of a target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dml_vk.arguments import to_int
from dml_vk.array.calls import call
from dml_vk.array.math.elementwise import not_equal, where
from dml_vk.array.statistics.reductions import sum
from dml_vk.dtypes import DType, float32, float64
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.gather import Step
from dml_vk.layout import Layout
from dml_vk.nn.arguments import checking_indexes, to_word
from dml_vk.nn.float64 import norms as float64_norms
from dml_vk.nn.operands import arrays_beside, floats, floats_beside
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.elementwise import cast_elements, compute
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.gather import gather, read_beside
from dml_vk.ops.numbers import scalar_words
from dml_vk.ops.rows import finish, pairs_of
from dml_vk.ops.view import temporary_like, with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import (
    check_dtype,
    check_out,
    of_kinds,
    result_over,
    to_tensor,
    to_tensors,
)
from dml_vk.tracing.formats import operation

REDUCTIONS = ("mean", "sum", "none")


@hinted
def nll_loss(
    x: Tensor,
    target: Tensor,
    *,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    out: Tensor | None = None,
) -> Tensor:
    """Return -x at the class that `target` names, for x of (C,) or (N, C, ...).

    `weight` has a factor for each class. Where the target is `ignore_index`, the loss is 0. "mean"
    divides the sum of losses by that of their weights, and "none" returns the losses, in the order
    of the target. float16 is computed in float32 and rounded once; the call waits for the check of
    the target.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[-0.5, -1.0], [-2.0, -0.25]])
    >>> dml_vk.nn.nll_loss(x, dml_vk.asarray([1, 0])).item()
    1.5
    """
    return _loss("nll_loss", x, target, weight, ignore_index, reduction, out)


@hinted
def cross_entropy(
    x: Tensor,
    target: Tensor,
    *,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    out: Tensor | None = None,
) -> Tensor:
    """Return `nll_loss` of the logarithm of softmax over the classes, with the same arguments.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[0.0, 0.0], [1000.0, 0.0]])
    >>> dml_vk.nn.cross_entropy(x, dml_vk.asarray([1, 1]), reduction="none").tolist()
    [0.6931471824645996, 1000.0]
    """
    return _loss("cross_entropy", x, target, weight, ignore_index, reduction, out)


def _loss(
    what: str,
    x: object,
    target: object,
    weight: Any,
    ignore_index: object,
    reduction: object,
    out: Tensor | None,
) -> Tensor:
    x, target, weight = arrays_beside(what, x, target, weight)
    scores, classes = floats(what, x), to_tensor(what, "target", target)
    check_dtype(what, classes.dtype, of_kinds("iu"))
    to_word(what, "reduction", reduction, REDUCTIONS)
    dim = min(scores.ndim, 2) - 1
    if dim < 0:
        raise LayoutError(what, "x must have at least one dim", shape=scores.shape)
    count, left = scores.shape[dim], (*scores.shape[:dim], *scores.shape[dim + 1 :])
    if classes.shape != left:
        rule = f"target must have the shape of x without dim {dim}"
        raise LayoutError(what, rule, target=classes.shape, x=scores.shape)
    operands = [scores, classes]
    if weight is not None:
        if floats_beside(what, "weight", weight, scores).shape != (count,):
            rule = "weight must have one number for each class"
            raise LayoutError(what, rule, weight=weight.shape, classes=count)
        operands.append(weight)
    to_tensors(what, operands)
    ignored = to_int(what, "ignore_index", ignore_index)
    if out is not None:
        check_out(what, out, left if reduction == "none" else (), scores.dtype, scores)
    limits = np.iinfo(classes.dtype.numpy_name)
    ignores = limits.min <= ignored <= limits.max
    if ignores:
        is_kept = not_equal(classes, ignored)
        operands[1:2] = where(is_kept, classes, 0), is_kept
    wait = checking_indexes(what, "target", operands[1], count)
    params = what, dim, ignores, weight is not None, reduction
    return read_beside(wait, lambda: call(_of_classes, operands, out, *params), out)


@operation(flexible="first")
def _of_classes(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    dim: int,
    ignores: bool,
    weighs: bool,
    reduction: str,
) -> Tensor:
    """Compute losses from scores, the class of each, whether it counts, and weights of classes."""
    x, index, *rest = operands
    is_kept = rest[0] if ignores else None
    shape = index.shape if reduction == "none" else ()
    order = index.layout.order if reduction == "none" else ()
    result = result_over(what, Layout.packed(shape, order), x.dtype, x, out)
    wide = float64 if x.dtype is float64 else float32
    if what == "cross_entropy" and x.size and wide is float64:
        x = float64_norms.softmax("log_softmax", x, (dim,), None)
    losses = _at(what, x, index, dim, wide)
    if what == "cross_entropy" and x.size and wide is float32:
        pairs = pairs_of(what, "log_sum", x, (dim,))
        pairs = with_layout(pairs, pairs.layout.squeeze((dim,)))
        finish(what, "log_softmax", [losses, pairs], losses)
    compute(what, OPERATORS["negative"], (losses,), losses, wide)
    shares = _at(what, rest[-1], index, None, wide) if weighs else None
    if shares is not None:
        compute(what, OPERATORS["multiply"], (losses, shares), losses, wide)
    if is_kept is not None:
        _leave_out(what, is_kept, losses)
    if reduction == "none":
        _rounded(what, losses, result)
        return result
    total = sum(losses)
    if reduction == "mean":
        if shares is None:
            shares = Tensor(temporary_like(what, index, wide))
            fill_constant(what, shares, wide, 1)
        if is_kept is not None:
            _leave_out(what, is_kept, shares)
        compute(what, OPERATORS["divide"], (total, sum(shares)), total, wide)
    _rounded(what, total, result)
    return result


def _leave_out(what: str, is_kept: Tensor, numbers: Tensor) -> None:
    """Set numbers that do not count to 0."""
    nothing = (0, *scalar_words(what, "number", numbers.dtype, 0))
    compute(what, OPERATORS["where"], (is_kept, numbers, None), numbers, numbers.dtype, nothing)


def _at(what: str, x: Tensor, index: Tensor, dim: int | None, dtype: DType) -> Tensor:
    """Return the elements of x at an index of the dim, or of x itself, as this dtype."""
    elements = Tensor(temporary_like(what, index, x.dtype))
    strides = [0] * index.ndim if dim is None else [*x.strides[:dim], *x.strides[dim + 1 :]]
    size, stride = (x.shape[0], x.strides[0]) if dim is None else (x.shape[dim], x.strides[dim])
    gather(x, tuple(strides), index, elements, Step(stride, size))
    if x.dtype is dtype:
        return elements
    wide = Tensor(temporary_like(what, elements, dtype))
    cast_elements(what, elements, wide)
    return wide


def _rounded(what: str, x: Tensor, target: Tensor) -> None:
    """Write what was computed to a target that may be float16."""
    if target.dtype is x.dtype:
        copy_elements(what, x, target)
    else:
        cast_elements(what, x, target)
