"""Batches of matrices as decompositions take them: packed by rows, in three dims."""

from __future__ import annotations

import math
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.array import elementwise
from dml_vk.array.creation import filled
from dml_vk.dtypes import DType, float32, float64
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout
from dml_vk.ops.view import check_count
from dml_vk.promotion import float_dtype
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import check_dtype, check_out, of_kinds, to_tensor


def to_matrices(what: str, x: Any, name: str = "x") -> Tensor:
    found = to_tensor(what, name, x)
    if found.ndim < 2:
        raise LayoutError(what, f"{name} must have at least two dims", shape=found.shape)
    check_dtype(what, found.dtype, of_kinds("biufc"))
    check_count(what, found, name)
    return found


def to_square(what: str, x: Any, name: str = "x") -> Tensor:
    found = to_matrices(what, x, name)
    if found.shape[-1] != found.shape[-2]:
        rule = f"{name} must have square matrices"
        raise LayoutError(what, rule, shape=found.shape)
    return found


def work_dtype(dtype: DType) -> DType:
    """The dtype to compute in: float16, integers and bools become float32."""
    return dtype if dtype is float64 or dtype.kind == "c" else float32


def result_dtype(x: Tensor) -> DType:
    return float_dtype(x.dtype)


def real_dtype(x: Tensor) -> DType:
    """The dtype of eigenvalues, singular values and logarithms."""
    return result_dtype(x).part


def adjoint(x: Tensor) -> Tensor:
    """Return the conjugate transposes: views of real matrices, copies of complex ones."""
    return elementwise.conj(x).mT


def made(what: str, sizes: Ints, dtype: DType, near: Tensor) -> Tensor:
    """Allocate a packed tensor."""
    return tensor_over(what, Layout(sizes), dtype, near.device, near.allocation)


def zeros(what: str, sizes: Ints, dtype: DType, near: Tensor) -> Tensor:
    return filled(made(what, sizes, dtype, near), what, 0)


def identities(what: str, count: int, rows: int, columns: int, near: Tensor) -> Tensor:
    """Return matrices with ones on the diagonal, in the dtype of `near`."""
    found = zeros(what, (count, rows, columns), near.dtype, near)
    filled(found.diagonal(0, 1, 2), what, 1)
    return found


def batched(what: str, x: Tensor, dtype: DType | None = None, sizes: Ints | None = None) -> Tensor:
    """Copy matrices, perhaps broadcast to a batch of `sizes`, to packed ones of three dims."""
    batch = x.shape[:-2] if sizes is None else sizes
    to = made(what, (*batch, *x.shape[-2:]), dtype or work_dtype(x.dtype), x)
    elementwise.astype(x.expand(to.shape), to.dtype, out=to)
    return to.over(Layout((math.prod(batch), *x.shape[-2:])))


def unbatched(found: Tensor, batch: Ints, dtype: DType, out: Tensor | None = None) -> Tensor:
    """Return a result with the dims of the batch instead of one, in another dtype, or in `out`."""
    sizes, strides = found.layout.sizes, list(found.layout.strides)
    step, steps = strides[0], list[int]()
    for size in reversed(batch):
        steps.insert(0, step)
        step *= size
    layout = Layout((*batch, *sizes[1:]), (*steps, *strides[1:]), found.layout.offset)
    return elementwise.astype(found.over(layout), dtype, copy=False, out=out)


def check_result(what: str, out: Any, sizes: Ints, dtype: DType, near: Tensor) -> None:
    """Check `out`, if it is given, before anything is computed."""
    if out is not None:
        check_out(what, out, sizes, dtype, near)
