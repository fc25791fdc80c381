"""Batches of matrices as decompositions take them: row-major, with one batch dim."""

from __future__ import annotations

import math

from dml_vk.arguments import Ints
from dml_vk.array.creation.arrays import filled
from dml_vk.array.math import elementwise
from dml_vk.dtypes import DType, float32, float64
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.view import check_count
from dml_vk.promotion import float_dtype
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import check_dtype, check_out, of_kinds, to_tensor


def to_matrices(what: str, x: Tensor, name: str = "x") -> Tensor:
    tensor = to_tensor(what, name, x)
    if tensor.ndim < 2:
        raise LayoutError(what, f"{name} must have at least two dims", shape=tensor.shape)
    check_dtype(what, tensor.dtype, of_kinds("biufc"))
    check_count(what, tensor, name)
    return tensor


def to_square(what: str, x: Tensor, name: str = "x") -> Tensor:
    matrices = to_matrices(what, x, name)
    if matrices.shape[-1] != matrices.shape[-2]:
        rule = f"{name} must have square matrices"
        raise LayoutError(what, rule, shape=matrices.shape)
    return matrices


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


def allocate(what: str, sizes: Ints, dtype: DType, near: Tensor) -> Tensor:
    """Allocate a packed tensor."""
    return tensor_over(what, Layout(sizes), dtype, near.device, near.allocation)


def zeros(what: str, sizes: Ints, dtype: DType, near: Tensor) -> Tensor:
    return filled(allocate(what, sizes, dtype, near), what, 0)


def identities(what: str, count: int, rows: int, columns: int, near: Tensor) -> Tensor:
    """Return matrices with ones on the diagonal, in the dtype of `near`."""
    matrices = zeros(what, (count, rows, columns), near.dtype, near)
    filled(matrices.diagonal(0, 1, 2), what, 1)
    return matrices


def batched(what: str, x: Tensor, dtype: DType | None = None, sizes: Ints | None = None) -> Tensor:
    """Copy matrices to packed ones of three dims, and broadcast them to a batch of `sizes`."""
    batch = x.shape[:-2] if sizes is None else sizes
    to = allocate(what, (*batch, *x.shape[-2:]), dtype or work_dtype(x.dtype), x)
    if x.dtype is to.dtype:  # which takes no kernel if the elements are packed
        copy_elements(what, x.expand(to.shape), to)
    else:
        elementwise.astype(x.expand(to.shape), to.dtype, out=to)
    return to.over(Layout((math.prod(batch), *x.shape[-2:])))


def unbatched(result: Tensor, batch: Ints, dtype: DType, out: Tensor | None = None) -> Tensor:
    """Split the batch dim of a result again, and convert it to a dtype, or into `out`."""
    sizes, strides = result.layout.sizes, list(result.layout.strides)
    step, steps = strides[0], list[int]()
    for size in reversed(batch):
        steps.insert(0, step)
        step *= size
    layout = Layout((*batch, *sizes[1:]), (*steps, *strides[1:]), result.layout.offset)
    return elementwise.astype(result.over(layout), dtype, copy=False, out=out)


def check_result(what: str, out: Tensor | None, sizes: Ints, dtype: DType, near: Tensor) -> None:
    """Check `out`, if there is one, before anything is computed."""
    if out is not None:
        check_out(what, out, sizes, dtype, near)
