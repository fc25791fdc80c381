"""Rows for indexes: embeddings, and vectors that are 1 at an index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dml_vk.arguments import to_axis
from dml_vk.array.calls import call
from dml_vk.dtypes import DType, DTypeLike, bool_, float32, int32, to_dtype
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.gather import Step
from dml_vk.layout import Layout
from dml_vk.nn.arguments import check_indexes, checking_indexes, to_least
from dml_vk.nn.operands import arrays_beside
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements, compute
from dml_vk.ops.gather import gather, read_beside
from dml_vk.ops.sequence import fill_sequence
from dml_vk.ops.view import (
    View,
    check_count,
    check_devices,
    temporary,
    temporary_like,
    with_layout,
)
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, check_out, of_kinds, result_over, to_tensor
from dml_vk.tracing.formats import operation


@hinted
def one_hot(
    x: Tensor,
    num_classes: int,
    *,
    dtype: DTypeLike = float32,
    axis: int = -1,
    out: Tensor | None = None,
) -> Tensor:
    """Return 1 where the index along a new axis is the integer in x, else 0.

    The result has the order of `expand_dims(x, axis)`. Integers must be from 0 to num_classes - 1;
    the call waits for the answer of that check.

    >>> import dml_vk
    >>> dml_vk.nn.one_hot(dml_vk.asarray([2, 0]), 3, dtype="int8").tolist()
    [[0, 0, 1], [1, 0, 0]]
    """
    what, x = "one_hot", to_tensor("one_hot", "x", x)
    check_dtype(what, x.dtype, of_kinds("iu"))
    count, kind = to_least(what, "num_classes", num_classes, 1), to_dtype(what, dtype)
    dim = to_axis(what, "axis", axis, x.ndim + 1)
    order = x.layout.unsqueeze(dim).order
    layout = Layout.packed((*x.shape[:dim], count, *x.shape[dim:]), order)
    if out is not None:
        check_out(what, out, layout.sizes, kind, x)
    check_indexes(what, "x", x, count)
    return call(_one_hot, (x,), out, dim, kind, layout)


@operation(flexible="first")
def _one_hot(
    operands: Sequence[Tensor], out: Tensor | None, dim: int, kind: DType, layout: Layout
) -> Tensor:
    what, (x,) = "one_hot", operands
    result = result_over(what, layout, kind, x, out)
    if not result.size:
        return result
    count = layout.sizes[dim]
    own = x.dtype if count - 1 <= np.iinfo(x.dtype.numpy_name).max else int32
    along = Layout([size if k == dim else 1 for k, size in enumerate(layout.sizes)])
    classes = temporary(what, along, own, x)
    fill_sequence(what, classes, own, 0, 1)
    hot: View = result if kind is bool_ else temporary_like(what, result, bool_)
    index = with_layout(x, x.layout.unsqueeze(dim))
    common = common_dtype(what, [x.dtype, own])
    compute(what, OPERATORS["equal"], (index, classes), hot, common)
    if hot is not result:
        cast_elements(what, hot, result)
    return result


@hinted
def embedding(indices: Tensor, weight: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the row of the matrix `weight` for each index, along a new last dim.

    The result has the order of the indices, with the new dim innermost. Indices must not be
    negative; the call waits for the answer of that check.

    >>> import dml_vk
    >>> weight = dml_vk.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> dml_vk.nn.embedding(dml_vk.asarray([2, 0]), weight).tolist()
    [[5.0, 6.0], [1.0, 2.0]]
    """
    what = "embedding"
    indices, weight = arrays_beside(what, indices, weight)
    weight = to_tensor(what, "weight", weight)
    index = to_tensor(what, "indices", indices)
    check_dtype(what, index.dtype, of_kinds("iu"))
    check_devices(what, indices=index, weight=weight)
    if weight.ndim != 2:
        raise LayoutError(what, "weight must be 2-D", shape=weight.shape)
    check_count(what, weight, "weight")
    rows, width = weight.shape
    layout = Layout.packed((*index.shape, width), (*index.layout.order, index.ndim))
    if out is not None:
        check_out(what, out, layout.sizes, weight.dtype, weight)
    wait = checking_indexes(what, "indices", index, rows)
    return read_beside(wait, lambda: call(_embedding, (index, weight), out, layout), out)


@operation(flexible="first")
def _embedding(operands: Sequence[Tensor], out: Tensor | None, layout: Layout) -> Tensor:
    what, (index, weight) = "embedding", operands
    result = result_over(what, layout, weight.dtype, weight, out)
    source, places = [copy_if_overlapping(what, view, result) for view in (weight, index)]
    spread = with_layout(places, places.layout.unsqueeze(-1))
    strides = (*[0] * index.ndim, source.layout.strides[1])
    gather(source, strides, spread, result, Step(source.layout.strides[0], weight.shape[0]))
    return result
