"""Back from maxima to where they came from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.array.calls import whole
from dml_vk.array.indexing.positions import checked, part_of, to_write
from dml_vk.dtypes import int64, uint64
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.nn.operands import arrays_beside
from dml_vk.nn.windows import spatial_rank, to_output_size
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.scatter import scatter
from dml_vk.ops.view import check_devices, with_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, result_over, to_tensor


@hinted
def max_unpool(
    x: Tensor,
    indices: Tensor,
    output_size: int | Sequence[int],
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Write the elements of x to the places that `max_pool` gave, among zeros.

    `output_size` has the spatial sizes of the result, through which the indices count. Where
    several elements have one place, the last of them is written. This waits, to check the indices.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[[1.0, 7.0, 3.0, 5.0]]])
    >>> values, indices = dml_vk.nn.max_pool(x, 2, return_indices=True)
    >>> dml_vk.nn.max_unpool(values, indices, 4).tolist()
    [[[0.0, 7.0, 0.0, 5.0]]]
    """
    what = "max_unpool"
    x, indices = arrays_beside(what, x, indices)
    values = to_tensor(what, "x", x)
    rank = spatial_rank(what, values.shape)
    index = to_tensor(what, "indices", indices)
    check_dtype(what, index.dtype, (int64,))
    if index.shape != values.shape:
        rule = "indices must have the shape of x"
        raise LayoutError(what, rule, x=values.shape, indices=index.shape)
    check_devices(what, x=values, indices=index)
    sizes = (*values.shape[:2], *to_output_size(what, output_size, rank))
    image: Tensor = whole(unpooled, (values, index), out, sizes)
    return image


def unpooled(operands: Sequence[Tensor], out: Tensor | None, sizes: Ints) -> Tensor:
    what, (values, index) = "max_unpool", operands
    target = result_over(what, Layout.packed(sizes, values.layout.order), values.dtype, values, out)
    # As unsigned integers, so that negative ones are too large instead of counting from the end.
    flat = with_dtype(index, uint64)
    rows = [
        np.arange(size).reshape((-1, *(1,) * (values.ndim - dim - 1)))
        for dim, size in enumerate(values.shape[:2])
    ]
    parts = [part_of(what, target.layout, (dim,), row, dim) for dim, row in enumerate(rows)]
    parts.append(part_of(what, target.layout, range(2, values.ndim), flat, None))
    parts = checked(what, parts)
    source = copy_if_overlapping(what, values, target)
    words = to_write(what, parts, values.shape, target) if values.size else None
    fill_constant(what, target, target.dtype, 0)
    if words is not None:
        every = tuple(range(values.ndim))
        still = (0,) * values.ndim
        scatter(what, source, words.places, every, target, still, words.stride, words.cells)
    return target
