"""Elements repeated one by one, and whole tensors repeated; results keep the format."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import is_axis_of_none, is_one, several, to_axis, to_int, to_ints, to_sizes
from dml_vk.array.creation.arrays import asarray
from dml_vk.array.creation.grids import arange
from dml_vk.array.manipulation.shapes import broadcast_to, reshape
from dml_vk.array.math.cumulative import cumulative_sum
from dml_vk.array.sorting.searching import searchsorted
from dml_vk.array.statistics import reductions
from dml_vk.array.statistics.answers import answers
from dml_vk.dtypes import int64
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements, copy_if_overlapping
from dml_vk.ops.elementwise import converted
from dml_vk.ops.gather import gather_elements
from dml_vk.ops.view import View, with_layout
from dml_vk.strides.order import row_major
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, of_kinds, result_over, to_tensor

Pair = tuple[int, int]


def tile(x: Tensor, repetitions: int | Sequence[int], /, *, out: Tensor | None = None) -> Tensor:
    """Repeat the whole tensor this many times along each dim, counted from the last one.

    >>> import dml_vk
    >>> dml_vk.tile(dml_vk.asarray([1, 2]), (2, 2)).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    x = to_tensor("tile", "x", x)
    counts = to_sizes("tile", several(repetitions))
    counts = (1,) * (x.ndim - len(counts)) + counts
    return _repeated("tile", x, len(counts) - x.ndim, counts, out)


@hinted
def repeat(
    x: Tensor,
    repeats: int | Sequence[int] | Tensor,
    /,
    axis: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Repeat each element, or each index of a dim, this many times.

    Without `axis`, the tensor is flattened. A list or a tensor has the count for each index; the
    total is then read on the host.

    >>> import dml_vk
    >>> dml_vk.repeat(dml_vk.asarray([[1, 2]]), 2, axis=1).tolist()
    [[1, 1, 2, 2]]
    """
    x = to_tensor("repeat", "x", x)
    if is_axis_of_none(axis, x.ndim):
        axis = None
    dim = None if axis is None else to_axis("repeat", "axis", axis, x.ndim)
    if isinstance(repeats, int) or is_one(repeats):
        count = to_int("repeat", "repeats", repeats)
        if count < 0:
            raise RangeError("repeat", "repeats must not be negative", repeats=count)
        if dim is None:
            return _repeated_flat(x, count, out)
        counts = [count if k == dim else 1 for k in range(x.ndim)]
        return _repeated("repeat", x, 0, counts, out, inside=True)
    return _repeated_by_list(x, repeats, dim, out)


def _repeated(
    what: str,
    x: Tensor,
    new: int,
    counts: Sequence[int],
    out: Tensor | None,
    *,
    inside: bool = False,
) -> Tensor:
    """Repeat each dim, after adding `new` ones, as a whole, or with `inside` index by index."""
    order = (*row_major(new), *[dim + new for dim in x.layout.order])
    sizes = (1,) * new + x.shape
    whole = Layout.packed([size * count for size, count in zip(sizes, counts)], order)
    result = result_over(what, whole, x.dtype, x, out)
    if result.size:
        source = copy_if_overlapping(what, x, result)
        # View each dim of the result as two, of which the source has stride 0 along one.
        cut = []
        for size, stride, count in zip(sizes, (0,) * new + source.layout.strides, counts):
            both = [(size, stride), (count, 0)]
            cut += both[:1] if count == 1 else both if inside else both[::-1]
        _copy_cut(what, source, cut, result)
    return result


def _repeated_flat(x: Tensor, count: int, out: Tensor | None) -> Tensor:
    whole = Layout((x.size * count,))
    result = result_over("repeat", whole, x.dtype, x, out)
    if result.size:
        source = copy_if_overlapping("repeat", x, result)
        cut = [*zip(x.shape, source.layout.strides), (count, 0)]
        _copy_cut("repeat", source, cut, result)
    return result


def _copy_cut(what: str, source: View, cut: Sequence[Pair], target: Tensor) -> None:
    """Copy to a target whose dims are split into these (size, stride) of the source."""
    sizes, strides = zip(*cut) if cut else ((), ())
    parts = target.layout.view(sizes)
    assert parts is not None  # A dim can be cut into any dims.
    layout = Layout(sizes, strides, source.layout.offset)
    copy_elements(what, with_layout(source, layout), with_layout(target, parts))


def _repeated_by_list(
    x: Tensor, repeats: Sequence[int] | Tensor, axis: int | None, out: Tensor | None
) -> Tensor:
    """Repeat by gathering: find the source index of each index of the result."""
    if axis is None:
        x, axis = reshape(x, -1), 0
    count = x.shape[axis]
    counts, total, least = _counts(x, repeats)
    if counts.shape not in ((count,), (1,)):
        rule = f"repeats must be an integer, or one for each of the {count} indexes"
        raise LayoutError("repeat", rule, shape=counts.shape)
    if least < 0:
        raise RangeError("repeat", "repeats must not be negative", least=least)
    total *= count if counts.shape != (count,) else 1
    sizes = (*x.shape[:axis], total, *x.shape[axis + 1 :])
    layout = Layout.packed(sizes, x.layout.order)
    result = result_over("repeat", layout, x.dtype, x, out)
    if result.size:
        ends = cumulative_sum(broadcast_to(counts, count))
        index = searchsorted(ends, arange(total, device=x.device), side="right")
        along = index.layout.view([total if dim == axis else 1 for dim in range(x.ndim)])
        assert along is not None  # since it only adds dims of size 1
        gather_elements("repeat", x, index.over(along), result, axis)
    return result


def _counts(x: Tensor, repeats: Sequence[int] | Tensor) -> tuple[Tensor, int, int]:
    """Return (the count of each index, as int64, their sum, their minimum)."""
    if not isinstance(repeats, Tensor):
        numbers = to_ints("repeat", "repeats", repeats)
        with ErrorsAs("repeat"):
            counts = asarray(numbers, int64, device=x.device)
        return counts, sum(numbers), min(numbers, default=0)
    check_dtype("repeat", repeats.dtype, of_kinds("iu"))
    counts = Tensor(converted("repeat", repeats, int64))
    if not counts.size:
        return counts, 0, 0
    total, least = answers(int64, (reductions.sum, counts), (reductions.min, counts)).tolist()
    return counts, total, least
