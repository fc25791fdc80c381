"""NumPy's matrices and grids that follow from indexes, from powers, or from blocks."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import to_bool, to_int, to_sizes
from dml_vk.array.creation.arrays import ones
from dml_vk.array.creation.grids import arange, meshgrid, tril
from dml_vk.array.host_operands import number_as_tensor, upload_operands
from dml_vk.array.manipulation.shapes import concat, stack, unstack
from dml_vk.array.math.cumulative import cumulative_prod
from dml_vk.array.math.elementwise import add, multiply
from dml_vk.array.sorting.searching import check_one_dim
from dml_vk.dtypes import DTypeLike, int64
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError
from dml_vk.layout import Layout
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import DeviceLike, Tensor
from dml_vk.tensor.operands import (
    Operand,
    check_dtype,
    of_kinds,
    result_over,
    to_tensor,
    to_tensors,
)

_DEEPEST = 64  # nested lists of blocks
Blocks = Tensor | Sequence["Blocks"]


def tri(
    n: int,
    m: int | None = None,
    /,
    k: int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
) -> Tensor:
    """Create a matrix of n rows with ones on and below the k-th diagonal, and zeros above.

    >>> import dml_vk
    >>> dml_vk.tri(2, 3, 1, dtype="int8").tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    rows = to_int("tri", "n", n)
    columns = rows if m is None else to_int("tri", "m", m)
    with ErrorsAs("tri"):
        return tril(ones((rows, columns), dtype, device=device), k=to_int("tri", "k", k))


def vander(
    x: Tensor, /, n: int | None = None, increasing: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return the Vandermonde matrix: the powers of each element, from the (n - 1)-th to the 0-th.

    Powers are products as of `cumulative_prod`, of integers in 64 bits.

    >>> import dml_vk
    >>> dml_vk.vander(dml_vk.asarray([2, 3]), 3).tolist()
    [[4, 2, 1], [9, 3, 1]]
    """
    what = "vander"
    x = to_tensor(what, "x", x)
    check_dtype(what, x.dtype, of_kinds("iufc"))
    check_one_dim(what, "x", x)
    count = x.size if n is None else to_int(what, "n", n)
    upwards = to_bool(what, "increasing", increasing)
    if count < 0:
        raise LayoutError(what, "n must not be negative", n=n)
    dtype = x.dtype if x.dtype.kind in "fc" else common_dtype(what, [x.dtype, int64])
    target = result_over(what, Layout((x.size, count)), dtype, x, out)
    to = target if upwards else target.over(target.layout.flip(1))
    if count:
        each = x.over(x.layout.unsqueeze(1).expand(x.size, count - 1))
        cumulative_prod(each, axis=1, dtype=dtype, include_initial=True, out=to)
    return target


def polyval(p: Tensor, x: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Return the values of a polynomial at x by Horner's rule; p has the highest coefficient first.

    >>> import dml_vk
    >>> dml_vk.polyval(dml_vk.asarray([3.0, 0.0, 1.0]), dml_vk.asarray([0.0, 2.0])).tolist()
    [1.0, 13.0]
    """
    what = "polyval"
    p, x = upload_operands(what, p, x)
    coefficients = to_tensor(what, "p", p)
    check_one_dim(what, "p", coefficients)
    if not coefficients.size:
        raise LayoutError(what, "p must not be empty", p=coefficients.shape)
    to_tensors(what, [coefficients, x])
    with ErrorsAs(what):
        if not isinstance(x, Tensor):
            x = number_as_tensor(what, x, coefficients)
        first, *rest = unstack(coefficients)
        value = multiply(x, 0)
        for coefficient in rest:
            value, first = multiply(add(value, first), x), coefficient
        return add(value, first, out=out)


def indices(
    dimensions: Sequence[int],
    /,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    *,
    device: DeviceLike = None,
) -> Tensor | tuple[Tensor, ...]:
    """Create the coordinates of each element of this shape, the first dim by coordinate, as int64.

    With `sparse`, return a tensor for each dim, of size 1 along all others.

    >>> import dml_vk
    >>> dml_vk.indices((2, 2)).tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    what = "indices"
    thin = to_bool(what, "sparse", sparse)
    with ErrorsAs(what, sizes="dimensions"):
        sizes = to_sizes(what, dimensions)
        rows = [
            arange(size, dtype=int64 if dtype is None else dtype, device=device) for size in sizes
        ]
        if thin:
            rank = len(sizes)
            own = [[1] * k + [size] + [1] * (rank - k - 1) for k, size in enumerate(sizes)]
            return tuple([row.view(shape) for row, shape in zip(rows, own)])
        return stack(meshgrid(*rows, indexing="ij"))


def block(arrays: Blocks, /, *, out: Tensor | None = None) -> Tensor:
    """Join blocks in nested lists: those of innermost lists along the last dim, and so on outwards.

    >>> import dml_vk
    >>> x, y = dml_vk.asarray([[1], [2]]), dml_vk.asarray([[3, 4], [5, 6]])
    >>> dml_vk.block([[x, y], [y, x]]).tolist()
    [[1, 3, 4], [2, 5, 6], [3, 4, 1], [5, 6, 2]]
    """
    what = "block"
    depths = _depths(what, arrays, 0)
    if len(depths) > 1:
        rule = "arrays must be lists of one depth"
        raise LayoutError(what, rule, depths=tuple(sorted(depths)))
    leaves = list(upload_operands(what, *_leaves(arrays)))
    tensors = to_tensors(what, [to_tensor(what, "array", item) for item in leaves])
    depth = max(depths)
    rank = max(depth, *[item.ndim for item in tensors])
    blocks = iter(tensors)

    def joined(node: Blocks, level: int, out: Tensor | None) -> Tensor:
        if level < depth:
            parts = [joined(item, level + 1, None) for item in node]
            return concat(parts, axis=rank - depth + level, out=out)
        block = next(blocks)
        missing = (None,) * (rank - block.ndim)
        key = (*missing, ...)
        return block[key]

    with ErrorsAs(what):
        if depth:
            return joined(arrays, 0, out)
        return concat([joined(arrays, 0, None)[None]], out=None if out is None else out[None])[0]


def _depths(what: str, node: Blocks, level: int) -> set[int]:
    """Return how deep in lists the blocks are."""
    if not isinstance(node, list):
        return {level}
    if not node or level == _DEEPEST:
        rule = f"arrays must be lists of tensors, none of them empty, at most {_DEEPEST} deep"
        raise DTypeError(what, rule, length=len(node), depth=level)
    return set().union(*[_depths(what, child, level + 1) for child in node])


def _leaves(node: Blocks) -> list[Blocks]:
    return [leaf for child in node for leaf in _leaves(child)] if isinstance(node, list) else [node]
