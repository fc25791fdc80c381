"""Products of vectors, and diagonals of matrices."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import to_int
from dml_vk.array.calls import whole
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.math import elementwise
from dml_vk.array.products.einsum import numeric_dtype
from dml_vk.array.products.matrix_products import check_matrices, shared_axis
from dml_vk.array.statistics import reductions
from dml_vk.dtypes import DType, DTypeLike
from dml_vk.errors import ErrorsAs, LayoutError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.strides.propagate import broadcast_sizes, commutative_elementwise
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, check_out, of_kinds, result_over, to_tensor


def outer(x1: Tensor, x2: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the outer product of two vectors.

    >>> import dml_vk
    >>> dml_vk.linalg.outer(dml_vk.asarray([1, 2]), dml_vk.asarray([3, 4, 5])).tolist()
    [[3, 4, 5], [6, 8, 10]]
    """
    x1, x2 = upload_operands("outer", x1, x2)
    dtype = numeric_dtype("outer", (("x1", x1), ("x2", x2)), "iufc")
    if (x1.layout.rank, x2.layout.rank) != (1, 1):
        rule = "x1 and x2 must be 1-D"
        raise LayoutError("outer", rule, x1=x1.shape, x2=x2.shape)
    if out is not None:
        check_out("outer", out, (*x1.shape, *x2.shape), dtype, x1)
    return elementwise.multiply(x1.over(x1.layout.unsqueeze(1)), x2, out=out)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """Return the diagonals of matrices, the last two dims, as a view; `offset` moves to the right.

    >>> import dml_vk
    >>> dml_vk.linalg.diagonal(dml_vk.asarray([[1, 2, 3], [4, 5, 6]]), offset=1).tolist()
    [2, 6]
    """
    to_tensor("diagonal", "x", x)
    check_matrices("diagonal", x)
    return x.over(x.layout.diagonal(to_int("diagonal", "offset", offset), -2, -1))


def trace(
    x: Tensor, /, *, offset: int = 0, dtype: DTypeLike | None = None, out: Tensor | None = None
) -> Tensor:
    """Return the sums of the diagonals of matrices, the last two dims, with the dtype of `sum`.

    >>> import dml_vk
    >>> dml_vk.linalg.trace(dml_vk.asarray([[1.0, 2.0], [3.0, 4.0]])).tolist()
    5.0
    """
    check_dtype("trace", to_tensor("trace", "x", x).dtype, of_kinds("iufc"))
    check_matrices("trace", x)
    with ErrorsAs("trace"):
        return reductions.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype, out=out)


@hinted
def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1, out: Tensor | None = None) -> Tensor:
    """Return the cross products of 3-vectors along an axis; the other dims broadcast.

    >>> import dml_vk
    >>> dml_vk.linalg.cross(dml_vk.asarray([1, 2, 3]), dml_vk.asarray([4, 5, 6])).tolist()
    [-3, 6, -3]
    """
    x1, x2 = upload_operands("cross", x1, x2)
    dtype = numeric_dtype("cross", (("x1", x1), ("x2", x2)), "iufc")
    axis = shared_axis("cross", axis, x1, x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        rule = "x1 and x2 must have three elements along axis"
        raise LayoutError("cross", rule, axis=axis, x1=x1.shape, x2=x2.shape)
    sizes = broadcast_sizes("cross", (x1.shape, x2.shape))
    layout = Layout.packed(sizes, commutative_elementwise(sizes, (x1.layout, x2.layout)))
    product: Tensor = whole(_cross, (x1, x2), out, axis, layout, dtype)
    return product


def _cross(
    operands: Sequence[Tensor], out: Tensor | None, axis: int, layout: Layout, dtype: DType
) -> Tensor:
    x1, x2 = operands
    target = result_over("cross", layout, dtype, x1, out)
    a, b, to = [[x.over(x.layout.select(axis, k)) for k in range(3)] for x in (x1, x2, target)]
    # Compute all products before writing, since `out` may be an operand.
    pairs = [
        (elementwise.multiply(a[k - 2], b[k - 1]), elementwise.multiply(a[k - 1], b[k - 2]))
        for k in range(3)
    ]
    for (plus, minus), result in zip(pairs, to):
        elementwise.subtract(plus, minus, out=result)
    return target
