"""Matrix products and similar functions, named as in the array API standard."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Axes, Ints, axis_error, is_one, to_axis, to_int, to_tuple
from dml_vk.array.calls import call
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.manipulation.shapes import to_axes
from dml_vk.array.math.elementwise import conj
from dml_vk.array.products.einsum import Factor, contracted, numeric_dtype
from dml_vk.errors import LayoutError, LayoutIndexError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.strides.propagate import broadcast_sizes
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand, to_tensor

SAME_DEPTH = "x1.shape[-1] must equal x2.shape[-2] (x2.shape[0] if 1-D)"


def matmul(x1: Tensor, x2: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Multiply matrices, or vectors, or one with the other, for each element of a batch.

    Matrices are the last two dims; the other dims broadcast. The result is row-major. Sums are
    those of `dml_vk.testing.products.sum_of`: the same bits for all layouts and devices. float16 is
    computed in float32 and rounded once, integers wrap.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> dml_vk.matmul(x, x).tolist()
    [[7.0, 10.0], [15.0, 22.0]]
    >>> dml_vk.matmul(x, dml_vk.asarray([1.0, 10.0])).tolist()
    [21.0, 43.0]
    """
    return call(_matmul, (x1, x2), out)


def _matmul(operands: Sequence[Operand], out: Tensor | None) -> Tensor:
    what = "matmul"
    x1, x2 = upload_operands(what, *operands)
    dtype = numeric_dtype(what, (("x1", x1), ("x2", x2)))
    if not x1.shape or not x2.shape:
        rule = "operands must have at least one dim: use multiply for scalars"
        raise LayoutError(what, rule, x1=x1.shape, x2=x2.shape)
    # The summed dim is the last of x1 and the second last, or only one, of x2.
    rank1, rank2 = len(x1.shape), len(x2.shape)
    depth1, depth2 = rank1 - 1, max(0, rank2 - 2)
    depth = x1.shape[depth1]
    if x2.shape[depth2] != depth:
        raise LayoutError(what, SAME_DEPTH, x1=x1.shape, x2=x2.shape)
    batch = broadcast_sizes(what, (x1.shape[:-2], x2.shape[:-2]))
    kept1 = _from_right(rank1 - 2, len(batch))
    kept2 = _from_right(rank2 - 2, len(batch))
    sizes = list(batch)
    if rank1 > 1:
        kept1, kept2 = (*kept1, rank1 - 2), (*kept2, None)
        sizes.append(x1.shape[-2])
    if rank2 > 1:
        kept1, kept2 = (*kept1, None), (*kept2, rank2 - 1)
        sizes.append(x2.shape[-1])
    factors = Factor(x1, kept1, (depth1,)), Factor(x2, kept2, (depth2,))
    return contracted(what, *factors, Layout(sizes), (depth,), dtype, out)


@hinted
def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1, out: Tensor | None = None) -> Tensor:
    """Return the dot products along an axis of both tensors; the other dims broadcast.

    Of complex x1 the conjugate is multiplied.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> dml_vk.vecdot(x, dml_vk.asarray([1, 10])).tolist()
    [21, 43]
    """
    return call(_vecdot, (x1, x2), out, to_int("vecdot", "axis", axis))


def _vecdot(operands: Sequence[Operand], out: Tensor | None, axis: int) -> Tensor:
    what = "vecdot"
    x1, x2 = upload_operands(what, *operands)
    dtype = numeric_dtype(what, (("x1", x1), ("x2", x2)))
    if x1.dtype.kind == "c":
        x1 = conj(x1)
    ranks = len(x1.shape), len(x2.shape)
    axis = shared_axis(what, axis, x1, x2)
    if x1.shape[axis] != x2.shape[axis]:
        rule = "x1 and x2 must have the same size along axis"
        raise LayoutError(what, rule, axis=axis, x1=x1.shape, x2=x2.shape)
    own = [[dim for dim in range(rank) if dim != rank + axis] for rank in ranks]
    sizes = broadcast_sizes(
        what, tuple([tuple([x.shape[dim] for dim in dims]) for x, dims in zip((x1, x2), own)])
    )
    first, second = [
        Factor(x, (*[None] * (len(sizes) - len(dims)), *dims), (rank + axis,))
        for x, dims, rank in zip((x1, x2), own, ranks)
    ]
    return contracted(what, first, second, Layout(sizes), (x1.shape[axis],), dtype, out)


@hinted
def tensordot(
    x1: Tensor,
    x2: Tensor,
    /,
    axes: int | Sequence[Axes] = 2,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Sum products over axes: the last of x1 with the first of x2, or the given ones.

    The result has the other dims of x1 and then those of x2, and is row-major.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> dml_vk.tensordot(x, x, axes=([0], [0])).tolist()
    [[17, 22, 27], [22, 29, 36], [27, 36, 45]]
    >>> dml_vk.tensordot(x, x, axes=((0, 1), (0, 1))).tolist()
    91
    """
    what = "tensordot"
    x1, x2 = upload_operands(what, x1, x2)
    numeric_dtype(what, (("x1", x1), ("x2", x2)))
    axes1, axes2 = _axis_pairs(what, axes, x1, x2)
    if [x1.shape[axis] for axis in axes1] != [x2.shape[axis] for axis in axes2]:
        rule = "contracted axes must have the same size in x1 and x2"
        raise LayoutError(what, rule, axes=axes, x1=x1.shape, x2=x2.shape)
    return call(_tensordot, (x1, x2), out, axes1, axes2)


def _tensordot(operands: Sequence[Tensor], out: Tensor | None, axes1: Ints, axes2: Ints) -> Tensor:
    what, (x1, x2) = "tensordot", operands
    dtype = numeric_dtype(what, (("x1", x1), ("x2", x2)))
    own1 = [dim for dim in range(len(x1.shape)) if dim not in axes1]
    own2 = [dim for dim in range(len(x2.shape)) if dim not in axes2]
    sizes = *[x1.shape[dim] for dim in own1], *[x2.shape[dim] for dim in own2]
    factors = (
        Factor(x1, (*own1, *[None] * len(own2)), axes1),
        Factor(x2, (*[None] * len(own1), *own2), axes2),
    )
    summed = tuple([x1.shape[axis] for axis in axes1])
    return contracted(what, *factors, Layout(sizes), summed, dtype, out)


def shared_axis(what: str, axis: int, x1: Tensor, x2: Tensor) -> int:
    """Return an axis of both operands, counted from the end."""
    ranks = len(x1.shape), len(x2.shape)
    # Counted from the front, it is the same dim in both only if they have the same rank.
    if ranks[0] == ranks[1]:
        return to_axis(what, "axis", axis, ranks[0]) - ranks[0]
    dim = to_int(what, "axis", axis)
    if not -min(ranks) <= dim < 0:
        rule = f"axis must be from {-min(ranks)} to -1 when ranks differ"
        raise axis_error(LayoutIndexError(what, rule, axis=axis, x1=x1.shape, x2=x2.shape))
    return dim


def _axis_pairs(what: str, axes: int | Sequence[Axes], x1: Tensor, x2: Tensor) -> tuple[Ints, Ints]:
    rank1, rank2 = len(x1.shape), len(x2.shape)
    if not (isinstance(axes, int) or is_one(axes)):
        pair = to_tuple(what, "axes", axes)
        if len(pair) != 2:
            rule = "axes must be an integer or a pair of sequences of axes"
            raise LayoutError(what, rule, axes=axes)
        pairs = to_axes(what, pair[0], rank1, "axes"), to_axes(what, pair[1], rank2, "axes")
        if len(pairs[0]) != len(pairs[1]):
            raise LayoutError(what, "axes must list as many axes of x1 as of x2", axes=axes)
        return pairs
    count = to_int(what, "axes", axes)
    if not 0 <= count <= min(rank1, rank2):
        rule = f"axes must be from 0 to {min(rank1, rank2)}, the smaller rank"
        raise LayoutError(what, rule, axes=count)
    return tuple(range(rank1 - count, rank1)), tuple(range(count))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Return a view with the last two dims swapped.

    >>> import dml_vk
    >>> dml_vk.matrix_transpose(dml_vk.asarray([[1, 2, 3], [4, 5, 6]])).tolist()
    [[1, 4], [2, 5], [3, 6]]
    """
    layout = to_tensor("matrix_transpose", "x", x).layout
    check_matrices("matrix_transpose", x)
    return x.over(layout.transpose(-2, -1))


def check_matrices(what: str, x: Tensor) -> None:
    if len(x.shape) < 2:
        raise LayoutError(what, "x must have at least two dims", shape=x.shape)


def _from_right(count: int, rank: int) -> tuple[int | None, ...]:
    """Return the first `count` dims, right-aligned to `rank` dims with None in front."""
    return (*[None] * (rank - max(0, count)), *range(count))
