"""NumPy's matrices and grids that follow from indexes, from powers, or from blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dml_vk.arguments import to_bool, to_int, to_sizes
from dml_vk.array.creation import Wanted, ones
from dml_vk.array.cumulative import cumulative_prod
from dml_vk.array.elementwise import add, multiply
from dml_vk.array.grids import arange, meshgrid, tril
from dml_vk.array.host_operands import beside, number_beside
from dml_vk.array.manipulation import concat, stack, unstack
from dml_vk.array.searching import check_one_dim
from dml_vk.dtypes import int64
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError
from dml_vk.layout import Layout
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, of_kinds, result_over, to_tensor, to_tensors

_DEEPEST = 64  # nested lists of blocks
Blocks = Tensor | Sequence["Blocks"]


def tri(
    n: int,
    m: int | None = None,
    /,
    k: int = 0,
    *,
    dtype: Any = None,
    device: Wanted = None,
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
    given = to_tensor(what, "x", x)
    check_dtype(what, given.dtype, of_kinds("iufc"))
    check_one_dim(what, "x", given)
    count = given.size if n is None else to_int(what, "n", n)
    upwards = to_bool(what, "increasing", increasing)
    if count < 0:
        raise LayoutError(what, "n must not be negative", n=n)
    dtype = given.dtype if given.dtype.kind in "fc" else common_dtype(what, [given.dtype, int64])
    target = result_over(what, Layout((given.size, count)), dtype, given, out)
    to = target if upwards else target.over(target.layout.flip(1))
    if count:
        each = given.over(given.layout.unsqueeze(1).expand(given.size, count - 1))
        cumulative_prod(each, axis=1, dtype=dtype, include_initial=True, out=to)
    return target


def polyval(p: Tensor, x: Any, /, *, out: Tensor | None = None) -> Tensor:
    """Return the values of a polynomial at x by Horner's rule; p has the highest coefficient first.

    >>> import dml_vk
    >>> dml_vk.polyval(dml_vk.asarray([3.0, 0.0, 1.0]), dml_vk.asarray([0.0, 2.0])).tolist()
    [1.0, 13.0]
    """
    what = "polyval"
    p, x = beside(what, p, x)
    given = to_tensor(what, "p", p)
    check_one_dim(what, "p", given)
    if not given.size:
        raise LayoutError(what, "p must not be empty", p=given.shape)
    to_tensors(what, [given, x])
    with ErrorsAs(what):
        if not isinstance(x, Tensor):
            x = number_beside(what, x, given)
        first, *rest = unstack(given)
        found: Any = multiply(x, 0)
        for coefficient in rest:
            found, first = multiply(add(found, first), x), coefficient
        return add(found, first, out=out)


def indices(
    dimensions: Sequence[int],
    /,
    dtype: Any = None,
    sparse: bool = False,
    *,
    device: Wanted = None,
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
            return tuple([row.view(one) for row, one in zip(rows, own)])
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
    leaves = list(beside(what, *_leaves(arrays)))
    given = to_tensors(what, [to_tensor(what, "array", one) for one in leaves])
    depth = max(depths)
    rank = max(depth, *[one.ndim for one in given])
    blocks = iter(given)

    def joined(node: Any, level: int, out: Tensor | None) -> Tensor:
        if level < depth:
            parts = [joined(one, level + 1, None) for one in node]
            return concat(parts, axis=rank - depth + level, out=out)
        block = next(blocks)
        missing = (None,) * (rank - block.ndim)
        place: Any = (*missing, ...)
        return block[place]

    with ErrorsAs(what):
        if depth:
            return joined(arrays, 0, out)
        return concat([joined(arrays, 0, None)[None]], out=None if out is None else out[None])[0]


def _depths(what: str, node: Any, level: int) -> set[int]:
    """Return how deep in lists the blocks are."""
    if not isinstance(node, list):
        return {level}
    if not node or level == _DEEPEST:
        rule = f"arrays must be lists of tensors, none of them empty, at most {_DEEPEST} deep"
        raise DTypeError(what, rule, length=len(node), depth=level)
    return set().union(*[_depths(what, one, level + 1) for one in node])


def _leaves(node: Any) -> list[Any]:
    return [leaf for one in node for leaf in _leaves(one)] if isinstance(node, list) else [node]
