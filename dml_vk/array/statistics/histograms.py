"""Histograms: how many elements have each value or lie in each bin, and their total weights.

Elements are sorted and the bounds of the bins searched in them, so the memory needed is that of the
elements and the bins. Weights are ordered by bin and added in float64 in the order of `sum`:
results have the same bits on every device and depend only on the elements of their bin.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from dml_vk.arguments import to_bool, to_int, to_tuple
from dml_vk.array.calls import composed
from dml_vk.array.creation.arrays import asarray, zeros
from dml_vk.array.creation.grids import arange
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.indexing.positions import MOST
from dml_vk.array.manipulation.shapes import concat, reshape
from dml_vk.array.math.cumulative import diff
from dml_vk.array.math.elementwise import (
    add,
    astype,
    divide,
    equal,
    greater_equal,
    less,
    less_equal,
    logical_and,
    multiply,
    subtract,
    where,
)
from dml_vk.array.sorting.searching import searchsorted
from dml_vk.array.sorting.sorts import sort
from dml_vk.array.statistics.answers import answers
from dml_vk.array.statistics.bin_widths import RULES, bins_by_rule
from dml_vk.array.statistics.quantiles import rows_of
from dml_vk.array.statistics.reductions import max, min, sum
from dml_vk.dtypes import bool_, float32, float64, int64, uint8
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError, RangeError
from dml_vk.layout import Layout
from dml_vk.ops.scan import SUM
from dml_vk.ops.segments import ALL, narrowed, reduce_rows
from dml_vk.promotion import common_dtype
from dml_vk.strides.order import row_major
from dml_vk.tensor import host
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.host import Array, ArrayLike
from dml_vk.tensor.operands import (
    check_dtype,
    check_ordered,
    of_kinds,
    sum_dtype,
    to_number,
    to_tensor,
    to_tensors,
)
from dml_vk.tensor.uploads import uploaded_as

Range = tuple[float, float]
Bins = int | str | list[float] | tuple[float, ...] | Array | Tensor


def bincount(x: Tensor, /, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count the occurrences of each number from 0 to the maximum of x, which is 1-D, as int64.

    With weights, return the total weights of these elements instead, as float64. There are at least
    `minlength` results. Their number is only known to the device, so this waits.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 3, 1])
    >>> dml_vk.bincount(x).tolist(), dml_vk.bincount(x, dml_vk.asarray([0.5, 1.0, 2.0])).tolist()
    ([0, 2, 0, 1], [0.0, 2.5, 0.0, 1.0])
    """
    what = "bincount"
    x = to_tensor(what, "x", x)
    check_dtype(what, x.dtype, of_kinds("biu"))
    if x.ndim != 1:
        raise LayoutError(what, "x must be 1-D", x=x.shape)
    weights = _weights(what, weights, x)
    length = to_int(what, "minlength", minlength)
    if length < 0:
        raise RangeError(what, "minlength must not be negative", minlength=minlength)
    if x.size:
        x = astype(x, uint8) if x.dtype is bool_ else x
        least, most = answers(x.dtype, (min, x), (max, x)).tolist()
        if least < 0:
            raise RangeError(what, "elements must not be negative", least=least)
        length = builtins.max(length, most + 1)
    return _counts(x, length, weights)


def _counts(x: Tensor, length: int, weights: Tensor | None) -> Tensor:
    """Do what `bincount` does, for numbers that are known to be from 0 to `length` - 1."""
    if length >= MOST:
        rule = "elements and minlength must be less than 2**31"
        raise RangeError("bincount", rule, length=length)
    if weights is not None:
        return _sums(x, length, astype(weights, float64, copy=False))
    counts = tensor_over("bincount", Layout((length,)), int64, x.device, x.allocation)
    ordered = sort(Tensor(narrowed("bincount", x, length + 1)))
    return diff(_bounds(ordered, length), out=counts)


def histogram(
    x: Tensor,
    /,
    bins: Bins = 10,
    range: tuple[float, float] | None = None,
    density: bool = False,
    weights: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Count the elements in each bin, as int64; also return the edges of the bins.

    A bin includes its lower edge and excludes its upper one, except for the last bin, which
    includes both. This holds exactly for the edges that are returned. `bins` is a number of bins of
    equal width, from the minimum to the maximum or over `range`, the name of NumPy's rule for that
    number, such as "auto" (without weights), or the ascending edges themselves.
    The edges have the dtype of float elements, and float64 for integers, unless they are given as
    an array or a tensor. With weights, the results are the total weights in each bin, in the dtype
    of their `sum`. With `density` they are divided by the total and by the width of the bin, in the
    dtype of float edges, at least float32. This waits for the minimum and maximum unless `range` is
    given, and for edges in a tensor.

    >>> import dml_vk
    >>> counts, edges = dml_vk.histogram(dml_vk.asarray([1.0, 2.0, 2.5, 5.0]), bins=2)
    >>> counts.tolist(), edges.tolist()
    ([3, 1], [1.0, 3.0, 5.0])
    """
    what = "histogram"
    x = to_tensor(what, "x", x)
    weights, density = _weights(what, weights, x), to_bool(what, "density", density)
    x = astype(x, uint8) if x.dtype is bool_ else x
    edges = _edges(what, x, bins, range, weights)
    compared = float64
    if (edges.dtype.kind == "f") == (x.dtype.kind == "f"):
        compared = common_dtype(what, [edges.dtype, x.dtype])
    borders = astype(edges, compared, copy=False)
    count = edges.size - 1
    if weights is None:
        ordered = astype(sort(rows_of(what, x, row_major(x.ndim))), compared, copy=False)
        below = searchsorted(ordered, borders[:-1])
        counts = diff(concat([below, searchsorted(ordered, borders[-1:], side="right")]))
    else:
        flat = astype(reshape(x, -1), compared, copy=False)
        index = subtract(searchsorted(borders, flat, side="right"), 1)
        index = where(equal(flat, borders[-1:]), count - 1, index)
        index = where(less(index, 0), count, index)  # beyond all bins, as other elements are
        total = sum_dtype(what, weights.dtype, None)
        flat = astype(reshape(weights, -1), float64 if total.kind == "f" else total, copy=False)
        counts = astype(_sums(index, count + 1, flat)[:count], total, copy=False)
    if density:
        dtype = float32 if edges.dtype.kind == "f" and edges.dtype is not float64 else float64
        widths = diff(astype(edges, dtype, copy=False))
        counts = divide(divide(astype(counts, dtype), widths), astype(sum(counts), dtype))
    return counts, edges


def _weights(what: str, weights: Tensor | None, x: Tensor) -> Tensor | None:
    if weights is None:
        return None
    _, weights = upload_operands(what, x, weights)
    weights = to_tensor(what, "weights", weights)
    to_tensors(what, [x, weights])
    check_dtype(what, weights.dtype, of_kinds("iuf"))
    if weights.shape != x.shape:
        rule = "weights must have the shape of x"
        raise LayoutError(what, rule, weights=weights.shape, x=x.shape)
    return weights


def _bounds(ordered: Tensor, count: int) -> Tensor:
    """Return the start of each number below `count` among ordered ones, and the end of the last."""
    return searchsorted(ordered, arange(count + 1, dtype=ordered.dtype, device=ordered.device))


def _sums(numbers: Tensor, count: int, weights: Tensor) -> Tensor:
    """Return the total weight of each number, all of which are from 0 to `count` - 1."""
    return composed(total_weights, (weights, numbers), None, count)


def total_weights(operands: Sequence[Tensor], out: None, count: int) -> Tensor:
    weights, numbers = operands
    sums = zeros((count,), weights.dtype, device=weights.device)
    reduce_rows("bincount", SUM, numbers, weights, sums, full=ALL)
    return sums


def _edges(what: str, x: Tensor, bins: Bins, range: Range | None, weights: Tensor | None) -> Tensor:
    check_ordered(what, x)
    if isinstance(bins, Tensor):
        check_dtype(what, bins.dtype, of_kinds("iuf"))
        to_tensors(what, [x, bins])
        _check_edges(what, bins.numpy())
        return bins
    if isinstance(bins, (list, tuple)) or (isinstance(bins, np.ndarray) and bins.ndim):
        return _given_edges(what, x, bins)
    if isinstance(bins, str) and (bins not in RULES or weights is not None):
        rule = f"bins must be a number, edges, or without weights one of {', '.join(RULES)}"
        raise RangeError(what, rule, bins=bins)
    count = 1 if isinstance(bins, str) else to_int(what, "bins", bins)
    if not 1 <= count < MOST - 1:
        raise RangeError(what, "bins must be from 1 to 2**31 - 2", bins=bins)
    dtype = x.dtype if x.dtype.kind == "f" else float64
    low, high = _range(what, x, range)
    if isinstance(bins, str):
        count = _by_rule(what, x, bins, range, low, high)
    with np.errstate(all="ignore"):
        array = np.linspace(low, high, count + 1, dtype=dtype.numpy_name)
    layout = Layout((count + 1,))
    return uploaded_as(what, array, layout, layout, dtype, x.device)


def _by_rule(what: str, x: Tensor, rule: str, range: Range | None, low: float, high: float) -> int:
    flat = reshape(x, -1)
    if range is not None:
        flat = flat[logical_and(greater_equal(flat, low), less_equal(flat, high))]
    ends = float(low), float(high)

    def counts(bins: int) -> Tensor:
        return histogram(flat, bins, ends)[0]

    count = bins_by_rule(rule, flat, *ends, counts)
    if count >= MOST - 1:
        raise RangeError(what, "bins must be from 1 to 2**31 - 2", bins=count)
    return count


def _given_edges(what: str, x: Tensor, bins: ArrayLike) -> Tensor:
    """Convert edges: arrays keep their dtype, numbers in lists take that of float elements."""
    try:
        array = host.to_array(bins)
    except ValueError:
        array = np.asarray("")
    if array.dtype.kind not in "iuf":
        rule = "bins must be an integer or a sequence of real edges"
        raise DTypeError(what, rule, bins=bins)
    if not isinstance(bins, np.ndarray) and "f" in (array.dtype.kind, x.dtype.kind):
        with np.errstate(all="ignore"):
            array = array.astype((x.dtype if x.dtype.kind == "f" else float64).numpy_name)
    _check_edges(what, array)
    with ErrorsAs(what):
        return asarray(array, device=x.device)


def _check_edges(what: str, edges: Array) -> None:
    if edges.ndim != 1 or not edges.size:
        raise LayoutError(what, "edges must be 1-D", edges=edges.shape)
    if not (edges[1:] >= edges[:-1]).all():
        raise RangeError(what, "edges must increase monotonically", edges=edges)


def _range(what: str, x: Tensor, range: Range | None) -> tuple[Any, Any]:
    """Return the outer edges, which are NumPy scalars if they are elements."""
    low: Any
    high: Any
    if range is not None:
        pair = to_tuple(what, "range", range)
        if len(pair) != 2:
            raise LayoutError(what, "range must be a pair", range=range)
        low, high = [to_number(what, "range", bound) for bound in pair]
    elif x.size:
        low, high = answers(x.dtype, (min, x), (max, x))
    else:
        low, high = 0, 1
    if not (low <= high and np.isfinite(float(low)) and np.isfinite(float(high))):
        rule = "range must be finite and increasing; without range, all elements must be finite"
        raise RangeError(what, rule, range=(low, high))
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def histogram_bin_edges(
    x: Tensor,
    /,
    bins: Bins = 10,
    range: tuple[float, float] | None = None,
    weights: Tensor | None = None,
) -> Tensor:
    """Return the edges of the bins of `histogram`; weights have no effect.

    >>> import dml_vk
    >>> dml_vk.histogram_bin_edges(dml_vk.asarray([1.0, 2.0, 5.0]), bins=2).tolist()
    [1.0, 3.0, 5.0]
    """
    what = "histogram_bin_edges"
    x = to_tensor(what, "x", x)
    weights = _weights(what, weights, x)
    return _edges(what, astype(x, uint8) if x.dtype is bool_ else x, bins, range, weights)


def histogram2d(
    x: Tensor,
    y: Tensor,
    /,
    bins: Bins | tuple[Bins, Bins] = 10,
    range: tuple[Range | None, Range | None] | None = None,
    density: bool = False,
    weights: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Count the points (x, y) in each cell, as float64; also return the edges along x and y.

    `bins` is what `histogram` takes, for both axes, or a pair of it; `range` is a pair of pairs.
    With weights the results are the total weights of points; with `density` they are divided by
    the total and by the area of the cell.

    >>> import dml_vk
    >>> x, y = dml_vk.asarray([0.0, 1.0, 4.0]), dml_vk.asarray([0.0, 0.5, 2.0])
    >>> dml_vk.histogram2d(x, y, bins=2)[0].tolist()
    [[2.0, 0.0], [0.0, 1.0]]
    """
    what = "histogram2d"
    x, y = upload_operands(what, x, y)
    axes = [to_tensor(what, name, coordinates) for name, coordinates in (("x", x), ("y", y))]
    if len({coordinates.shape for coordinates in axes}) > 1 or axes[0].ndim != 1:
        raise LayoutError(what, "x and y must be 1-D and of one size", x=x.shape, y=y.shape)
    weights, density = _weights(what, weights, axes[0]), to_bool(what, "density", density)
    both = isinstance(bins, (list, tuple)) and len(bins) == 2
    pairs: Any = bins if both else (bins, bins)
    ranges = (None, None) if range is None else to_tuple(what, "range", range)
    if len(ranges) != 2:
        raise LayoutError(what, "range must be a pair", range=range)
    edges_by_axis, places = [], []
    for coordinates, own, ends in zip(axes, pairs, ranges):
        edges = _edges(what, coordinates, own, ends, weights)
        borders = astype(edges, float64, copy=False)
        wide = astype(coordinates, float64, copy=False)
        index = subtract(searchsorted(borders, wide, side="right"), 1)
        places.append(where(equal(wide, borders[-1:]), edges.size - 2, index))
        edges_by_axis.append(edges)
    sizes = [edges.size - 1 for edges in edges_by_axis]
    inside = [
        logical_and(greater_equal(index, 0), less(index, size))
        for index, size in zip(places, sizes)
    ]
    cell = add(multiply(places[0], sizes[1]), places[1])
    cell = where(logical_and(*inside), cell, sizes[0] * sizes[1])
    counts = _counts(cell, sizes[0] * sizes[1] + 1, weights)
    total = reshape(astype(counts[:-1], float64, copy=False), tuple(sizes))
    if density:
        widths = [diff(astype(edges, float64, copy=False)) for edges in edges_by_axis]
        area = multiply(reshape(widths[0], (-1, 1)), widths[1])
        total = divide(divide(total, area), sum(total))
    return total, edges_by_axis[0], edges_by_axis[1]
