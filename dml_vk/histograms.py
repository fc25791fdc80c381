"""How many elements there are of each number, or in each bin, and what they weigh.

Elements are sorted, and bounds looked up among them, so memory is that of the elements and of the
bins. Weights are put in the order of bins and added in float64 in the order of `sum`: the bits are
the same on every device, and what is in a bin is all that matters to it.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from dml_vk import host
from dml_vk.creation import asarray
from dml_vk.cumulative import diff
from dml_vk.dtypes import bool_, float32, float64, int32, int64, uint8
from dml_vk.error_names import ErrorsAs
from dml_vk.errors import DTypeError, LayoutError, RangeError, explain
from dml_vk.functions import astype, divide, equal, subtract, where
from dml_vk.grids import arange
from dml_vk.host import Array
from dml_vk.index_places import MOST
from dml_vk.indexing import elements_at
from dml_vk.layout import Layout
from dml_vk.manipulation import concat, reshape
from dml_vk.operands import check_dtype, of_kinds, sum_dtype, to_number, to_tensor, to_tensors
from dml_vk.promotion import common_dtype
from dml_vk.quantiles import rows_of
from dml_vk.searching import searchsorted
from dml_vk.segments import segment_sums
from dml_vk.sorting import argsort, sort
from dml_vk.statistics import max, min, sum
from dml_vk.strides.order import row_major, to_bool, to_int, to_tuple
from dml_vk.tensor import Tensor, tensor_over

Bins = int | list[float] | tuple[float, ...] | Array | Tensor


def bincount(x: Tensor, /, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 to the largest is in x, which has one dim: int64.

    With weights, what these elements weigh: float64. There are `minlength` results at least. How
    many there are only the device knows, so this waits.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 3, 1])
    >>> dml_vk.bincount(x).tolist(), dml_vk.bincount(x, dml_vk.asarray([0.5, 1.0, 2.0])).tolist()
    ([0, 2, 0, 1], [0.0, 2.5, 0.0, 1.0])
    """
    what = "bincount"
    x = to_tensor(what, "x", x)
    check_dtype(what, x.dtype, of_kinds("biu"))
    if x.ndim != 1:
        raise LayoutError(explain(what, "x must have one dim", x=x.shape))
    weights = _weights(what, weights, x)
    length = to_int(what, "minlength", minlength)
    if length < 0:
        raise RangeError(explain(what, "minlength must not be negative", minlength=minlength))
    if x.size:
        x = astype(x, uint8) if x.dtype is bool_ else x
        least = min(x).item()
        if least < 0:
            raise RangeError(explain(what, "elements must not be negative", least=least))
        length = builtins.max(length, max(x).item() + 1)
    if length >= MOST:
        must = "elements and minlength must be less than 2**31"
        raise RangeError(explain(what, must, length=length))
    if weights is not None:
        return _sums(x, length, astype(weights, float64, copy=False))
    counts = tensor_over(what, Layout((length,)), int64, x.device, x.strided.allocation)
    return diff(_bounds(sort(astype(x, int32)), length), out=counts)


def histogram(
    x: Tensor,
    /,
    bins: Bins = 10,
    range: tuple[float, float] | None = None,
    density: bool = False,
    weights: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """How many elements are in each bin, int64, and the edges of the bins.

    A bin has its lower edge and not its upper one, but for the last, which has both; so say the
    edges that are returned, to the bit. `bins` are so many of one width, from the least element to
    the greatest or over `range`, or they are the edges themselves, which ascend. Edges are of the
    dtype of floats, and float64 for integers, unless they are given as an array or a tensor.

    With weights, the results are what the elements of a bin weigh, in the dtype that `sum` gives.
    With `density` they are shares of all, by the width of the bin, in the dtype of float edges, and
    float32 at least. It waits for what is least and greatest, unless `range` says it, for edges in
    a tensor, and for the number of elements in a bin where these have weights.

    >>> import dml_vk
    >>> counts, edges = dml_vk.histogram(dml_vk.asarray([1.0, 2.0, 2.5, 5.0]), bins=2)
    >>> counts.tolist(), edges.tolist()
    ([3, 1], [1.0, 3.0, 5.0])
    """
    what = "histogram"
    x = to_tensor(what, "x", x)
    weights, density = _weights(what, weights, x), to_bool(what, "density", density)
    x = astype(x, uint8) if x.dtype is bool_ else x
    edges = _edges(what, x, bins, range)
    compared = float64
    if (edges.dtype.kind == "f") == (x.dtype.kind == "f"):
        compared = common_dtype(what, [edges.dtype, x.dtype])
    borders = astype(edges, compared, copy=False)
    count = edges.size - 1
    if weights is None:
        ordered = astype(sort(rows_of(what, x, row_major(x.ndim))), compared, copy=False)
        below = searchsorted(ordered, borders[:-1])
        found = diff(concat([below, searchsorted(ordered, borders[-1:], side="right")]))
    else:
        flat = astype(reshape(x, -1), compared, copy=False)
        place = subtract(searchsorted(borders, flat, side="right"), 1)
        place = where(equal(flat, borders[-1:]), count - 1, place)
        total = sum_dtype(what, weights.dtype, None)
        flat = astype(reshape(weights, -1), float64 if total.kind == "f" else total, copy=False)
        found = astype(_sums(place, count, flat), total, copy=False)
    if density:
        dtype = float32 if edges.dtype.kind == "f" and edges.dtype is not float64 else float64
        widths = diff(astype(edges, dtype, copy=False))
        found = divide(divide(astype(found, dtype), widths), astype(sum(found), dtype))
    return found, edges


def _weights(what: str, weights: Any, x: Tensor) -> Tensor | None:
    if weights is None:
        return None
    given = to_tensor(what, "weights", weights)
    to_tensors(what, [x, given])
    check_dtype(what, given.dtype, of_kinds("iuf"))
    if given.shape != x.shape:
        must = "weights must have the shape of x"
        raise LayoutError(explain(what, must, weights=given.shape, x=x.shape))
    return given


def _bounds(ordered: Tensor, count: int) -> Tensor:
    """Where each number up to this one begins among ordered ones, and where the last ends."""
    return searchsorted(ordered, arange(count + 1, dtype=ordered.dtype, device=ordered.device))


def _sums(numbers: Tensor, count: int, weights: Tensor) -> Tensor:
    """What the elements of each number from 0 on weigh; those of others count for nothing."""
    numbers = astype(numbers, int32)
    order = argsort(numbers)
    bounds = _bounds(elements_at(numbers, order), count)
    return segment_sums(elements_at(weights, order), bounds)


def _edges(what: str, x: Tensor, bins: Any, range: Any) -> Tensor:
    if isinstance(bins, Tensor):
        check_dtype(what, bins.dtype, of_kinds("iuf"))
        to_tensors(what, [x, bins])
        _check_edges(what, bins.numpy())
        return bins
    if isinstance(bins, (list, tuple)) or (isinstance(bins, np.ndarray) and bins.ndim):
        return _given_edges(what, x, bins)
    count = to_int(what, "bins", bins)
    if not 1 <= count < MOST - 1:
        raise RangeError(explain(what, "bins must be from 1 to 2**31 - 2", bins=bins))
    dtype = x.dtype if x.dtype.kind == "f" else float64
    low, high = _range(what, x, range)
    edges = tensor_over(what, Layout((count + 1,)), dtype, x.device, x.strided.allocation)
    with np.errstate(all="ignore"):
        array = np.linspace(low, high, count + 1, dtype=dtype.numpy_name)
    host.write(what, edges, array, edges.layout)
    return edges


def _given_edges(what: str, x: Tensor, bins: Any) -> Tensor:
    """Arrays have a dtype, and Python's numbers that of the elements where these are floats."""
    try:
        array = np.asarray(bins)
    except ValueError:
        array = np.asarray("")
    if array.dtype.kind not in "iuf":
        must = "bins must be a number of them, or their edges, which are real numbers"
        raise DTypeError(explain(what, must, bins=bins))
    if not isinstance(bins, np.ndarray) and "f" in (array.dtype.kind, x.dtype.kind):
        with np.errstate(all="ignore"):
            array = array.astype((x.dtype if x.dtype.kind == "f" else float64).numpy_name)
    _check_edges(what, array)
    with ErrorsAs(what):
        return asarray(array, device=x.device)


def _check_edges(what: str, edges: Array) -> None:
    if edges.ndim != 1 or not edges.size:
        raise LayoutError(explain(what, "edges must have one dim", edges=edges.shape))
    if not (edges[1:] >= edges[:-1]).all():
        raise RangeError(explain(what, "edges must ascend", edges=edges))


def _range(what: str, x: Tensor, range: Any) -> tuple[Any, Any]:
    """The outer edges, as NumPy's scalars where they are elements."""
    low: Any
    high: Any
    if range is not None:
        given = to_tuple(what, "range", range)
        if len(given) != 2:
            raise LayoutError(explain(what, "range must be a pair", range=range))
        low, high = [to_number(what, "range", one) for one in given]
    elif x.size:
        low, high = [extreme(x).numpy()[()] for extreme in (min, max)]
    else:
        low, high = 0, 1
    if not (low <= high and np.isfinite(float(low)) and np.isfinite(float(high))):
        must = "range must ascend and be finite; without it, so must be all elements"
        raise RangeError(explain(what, must, range=(low, high)))
    return (low - 0.5, high + 0.5) if low == high else (low, high)
