"""Matrix products over chunks, in the order of a product of single tensors: the same bits.

Terms are added one after the other in runs of 64, the sums of 64 runs likewise, and so on. So the
contracted dim is rechunked to 64 * 64 terms, and the products of chunks are added in runs of 64.
"""

from __future__ import annotations

from functools import partial, reduce

import dask.array as da
import numpy as np
from dask.array import routines

from dml_vk.arguments import Ints
from dml_vk.array.manipulation.shapes import expand_dims, squeeze
from dml_vk.array.math.elementwise import add
from dml_vk.array.products import matrix_products
from dml_vk.array.products.matrix_products import SAME_DEPTH
from dml_vk.array.statistics.reductions import computed_in
from dml_vk.dask.chunks import asarray, has_tensors, meta_of
from dml_vk.dask.statistics import as_dtype, dtype_of, has_tensor_chunks
from dml_vk.errors import LayoutError
from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor


def matmul(x1: da.Array, x2: da.Array) -> da.Array:
    """Multiply matrices or vectors, or batches of them, with the bits of `dml_vk.matmul`.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.random.Generator(seed=1).normal((30, 5000), chunks=700)
    >>> whole = dml_vk.random.Generator(seed=1).normal((30, 5000))
    >>> (x @ x.T).compute().tolist() == (whole @ whole.T).tolist()
    True
    """
    x1, x2 = _with_tensors(x1), _with_tensors(x2)
    if not (has_tensor_chunks(x1) and has_tensor_chunks(x2) and x1.ndim and x2.ndim):
        return routines.matmul(x1, x2)
    depth = x2.shape[-2] if x2.ndim > 1 else x2.shape[0]
    if depth != x1.shape[-1]:
        raise LayoutError("matmul", SAME_DEPTH, x1=x1.shape, x2=x2.shape)
    rows, columns = x1.ndim > 1, x2.ndim > 1
    x1, x2 = x1 if rows else x1[None, :], x2 if columns else x2[:, None]
    dtype = common_dtype("matmul", (dtype_of(x1), dtype_of(x2)))
    wide = computed_in(dtype)
    rank = max(x1.ndim, x2.ndim)
    terms = RUN * RUN
    a = as_dtype(x1, wide).rechunk({-1: terms})
    b = as_dtype(x2, wide).rechunk({-2: terms})
    batch = tuple(range(rank - 2))
    i, j, k = rank - 2, rank - 1, rank
    parts = da.blockwise(
        _product,
        (*batch, i, j, k),
        a,
        (*batch[rank - a.ndim :], i, k),
        b,
        (*batch[rank - b.ndim :], k, j),
        adjust_chunks={k: 1},
        dtype=np.dtype(wide.numpy_name),
        meta=meta_of(rank + 1, wide),
        align_arrays=True,
    )
    product = da.reduction(
        parts,
        chunk=_itself,
        combine=_add_in_order,
        aggregate=partial(_add_in_order, is_last=True),
        axis=rank,
        split_every={rank: RUN},
        concatenate=False,
        dtype=parts.dtype,
        meta=meta_of(rank, wide),
    )
    product = as_dtype(product, dtype)
    if not rows:
        product = product[..., 0, :]
    return product if columns else product[..., 0]


def _with_tensors(x: object) -> da.Array:
    return x if has_tensors(x) else asarray(x)


def dot(x1: da.Array, x2: da.Array) -> da.Array:
    """Multiply matrices or vectors. For more dims, Dask adds, in an order of its own."""
    x1, x2 = _with_tensors(x1), _with_tensors(x2)
    return (matmul if x1.ndim in (1, 2) and x2.ndim in (1, 2) else routines.dot)(x1, x2)


def _product(x1: Tensor, x2: Tensor) -> Tensor:
    """The product of two chunks, with one more dim for the chunks of the contracted dim."""
    return expand_dims(matrix_products.matmul(x1, x2), axis=-1)


def _itself(x: Tensor, *, axis: Ints, keepdims: bool, computing_meta: bool = False) -> Tensor:
    return x


def _add_in_order(
    parts: Tensor | list[Tensor],
    *,
    axis: Ints,
    keepdims: bool,
    is_last: bool = False,
    computing_meta: bool = False,
) -> Tensor:
    """Add the products of chunks, one after the other."""
    total = reduce(add, parts) if isinstance(parts, list) else parts
    return squeeze(total, axis=-1) if is_last else total
