"""Tensors that are computed from indexes: sequences, diagonals, triangles and coordinates."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dml_vk.arguments import to_bool, to_int
from dml_vk.array.creation.arrays import filled, new_tensor
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.math.elementwise import add, astype, divide, floor, multiply, where
from dml_vk.dtypes import DType, DTypeLike, bool_, complex64, float32, float64, int64, to_dtype
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError, RangeError
from dml_vk.layout import Layout, MemoryFormat, contiguous_format, preserve_format
from dml_vk.ops.parts import imag_part, real_part
from dml_vk.ops.sequence import fill_sequence
from dml_vk.tensor.core import DeviceLike, Tensor
from dml_vk.tensor.operands import result_over, to_complex, to_number, to_tensor


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """Create the sequence start, start + step, start + 2 step, ... up to, not including, `stop`.

    The number of elements is computed in float64, as NumPy does; each element is computed exactly
    and rounded once. By default integers give int64 and floats float32; a given dtype must be able
    to hold the elements. Tensors with no dims are accepted as numbers, and waited for.

    >>> import dml_vk
    >>> dml_vk.arange(5).tolist(), dml_vk.arange(3, 0, -1.5).tolist()
    ([0, 1, 2, 3, 4], [3.0, 1.5])
    """
    if stop is None:
        start, stop = 0, start
    first, end = to_number("arange", "start", start), to_number("arange", "stop", stop)
    delta = to_number("arange", "step", step)
    whole = all(isinstance(number, int) for number in (first, end, delta))
    kind = (int64 if whole else float32) if dtype is None else to_dtype("arange", dtype)
    count = _count(first, end, delta)
    if kind.kind in "iu":
        _check_integers(kind, first, delta, count)
        first, delta = int(first), int(delta)
    elif kind.kind not in "fc":
        raise DTypeError("arange", "dtype must be numeric", dtype=kind)
    new = new_tensor("arange", count, kind, device, memory_format)
    if kind.kind == "c":
        filled(Tensor(imag_part(new)), "arange", 0)
    fill_sequence("arange", real_part(new), kind.part, first, delta)
    return new


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    endpoint: bool = True,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """Create `num` equally spaced numbers from `start` to `stop`, which `endpoint` includes.

    Both ends are exact. In between, numbers of float64 have NumPy's bits: `start + k * step`, each
    operation rounded, which integers round down. Smaller floats are computed from the element
    nearest to 0 and are within 2**-50 of their magnitude before they are rounded, even if they are
    nearly 0. Complex numbers are spaced by parts.

    >>> import dml_vk
    >>> dml_vk.linspace(-1, 1, 3).tolist(), dml_vk.linspace(0, 1, 4, endpoint=False).tolist()
    ([-1.0, 0.0, 1.0], [0.0, 0.25, 0.5, 0.75])
    """
    what = "linspace"
    ends = [to_complex(what, name, value) for name, value in (("start", start), ("stop", stop))]
    kind = dtype_of_spaced(what, ends, dtype)
    if kind.kind == "b":
        raise DTypeError(what, "dtype must be numeric", dtype=kind)
    count, endpoint = to_int(what, "num", num), to_bool(what, "endpoint", endpoint)
    if count < 0:
        raise RangeError(what, "num must not be negative", num=num)
    try:
        parts = [(Fraction(float(end.real)), Fraction(float(end.imag))) for end in ends]
    except (OverflowError, ValueError):
        rule = "start and stop must be finite floats"
        raise RangeError(what, rule, start=start, stop=stop) from None
    if kind.kind in "iu":
        with ErrorsAs(what):
            (first, _), (last, _) = parts
            reached = first + (last - first) * max(0, count - 1) / max(1, count - endpoint)
            if count:
                _check_fit(what, kind, math.floor(first), math.floor(reached))
            wide = linspace(
                ends[0],
                ends[1],
                count,
                dtype=float64,
                device=device,
                endpoint=endpoint,
                memory_format=memory_format,
            )
            return astype(floor(wide, out=wide), kind)
    # Without the end, they are the first of one more number, bit for bit.
    total = count + (not endpoint)
    new = new_tensor(what, total, kind, device, memory_format)
    targets = (real_part(new), imag_part(new)) if kind.kind == "c" else (new,)
    for target, first, last in zip(targets, *parts):
        if total and kind.part is float64 and math.isfinite(float(last) - float(first)):
            _step(what, Tensor(target), float(first), float(last), total)
        elif total:
            _space(what, Tensor(target), first, last, total)
    return new if endpoint else new.over(new.layout.narrow(0, 0, count))


def _step(what: str, new: Tensor, first: float, last: float, count: int) -> None:
    """Write `first + k * step` as NumPy does, at least one number, to a vector of float64."""
    delta, steps = last - first, count - 1
    fill_sequence(what, new, float64, 0, 1)
    if steps and not delta / steps:  # a step too small for a float
        divide(new, float(steps), out=new)
        multiply(new, delta, out=new)
    else:
        multiply(new, delta / max(1, steps), out=new)
    add(new, first, out=new)
    if steps:
        filled(new.narrow(0, steps, 1), what, last)


def dtype_of_spaced(what: str, numbers: Sequence[complex], dtype: DTypeLike | None) -> DType:
    """Return the requested dtype, which must hold the numbers, or the default one for them."""
    is_complex = any(isinstance(number, complex) for number in numbers)
    if dtype is None:
        return complex64 if is_complex else float32
    kind = to_dtype(what, dtype)
    if is_complex and kind.kind != "c":
        raise DTypeError(what, "dtype must be complex for complex numbers", dtype=kind)
    return kind


def _space(what: str, new: Tensor, first: Fraction, last: Fraction, count: int) -> None:
    """Write equally spaced numbers, at least one, to a vector of floats."""
    kind = new.dtype
    delta = (last - first) / max(1, count - 1)
    nearest = min(max(round(-first / delta), 0), count - 1) if delta else 0
    anchor, pace = _as_float(first + nearest * delta), _as_float(delta)
    if nearest:
        back = new.layout.narrow(0, 0, nearest + 1).flip(0)
        fill_sequence(what, new.over(back), kind, anchor, -pace)
    if nearest < count - 1 or count == 1:
        onwards = new.layout.narrow(0, nearest, count - nearest)
        fill_sequence(what, new.over(onwards), kind, anchor, pace)
    exact = {0: first, count - 1: last} if count > 1 else {0: first}
    for at, end in exact.items():
        spaced = Fraction(anchor) + (at - nearest) * Fraction(pace)
        if not _rounds_equal(kind, spaced, end):
            filled(new.over(new.layout.narrow(0, at, 1)), what, float(end))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """Create a matrix of zeros with ones on a diagonal: the main one, or the k-th to its right.

    >>> import dml_vk
    >>> dml_vk.eye(2, 3, k=1, dtype="int8").tolist()
    [[0, 1, 0], [0, 0, 1]]
    """
    shape = [to_int("eye", "n_rows", n_rows)] * 2
    if n_cols is not None:
        shape[1] = to_int("eye", "n_cols", n_cols)
    which = to_int("eye", "k", k)
    new = filled(new_tensor("eye", shape, dtype, device, memory_format), "eye", 0)
    filled(new.over(new.layout.diagonal(which)), "eye", 1)
    return new


def tril(
    x: Tensor,
    /,
    k: int = 0,
    *,
    memory_format: MemoryFormat = preserve_format,
    out: Tensor | None = None,
) -> Tensor:
    """Return the lower triangles of matrices, with zeros above the k-th diagonal.

    >>> import dml_vk
    >>> dml_vk.tril(dml_vk.asarray([[1, 2], [3, 4]])).tolist()
    [[1, 0], [3, 4]]
    """
    return _triangle("tril", x, k, memory_format, out)


def triu(
    x: Tensor,
    /,
    k: int = 0,
    *,
    memory_format: MemoryFormat = preserve_format,
    out: Tensor | None = None,
) -> Tensor:
    """Return the upper triangles of matrices, with zeros below the k-th diagonal.

    >>> import dml_vk
    >>> dml_vk.triu(dml_vk.asarray([[1, 2], [3, 4]])).tolist()
    [[1, 2], [0, 4]]
    """
    return _triangle("triu", x, k, memory_format, out)


def meshgrid(*arrays: Tensor, indexing: str = "xy", sparse: bool = False) -> tuple[Tensor, ...]:
    """Return the coordinates of each point of a grid, from the coordinates along each dim.

    The results are views of the vectors and take no memory; use `clone` to get tensors to write to.
    The first two dims of the grid are swapped, unless `indexing` is "ij". With `sparse` each result
    has the size of the grid along its own dim alone.

    >>> import dml_vk
    >>> [x.tolist() for x in dml_vk.meshgrid(dml_vk.asarray([1, 2]), dml_vk.asarray([3, 4]))]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    vectors = [
        to_tensor("meshgrid", "array", vector) for vector in upload_operands("meshgrid", *arrays)
    ]
    thin = to_bool("meshgrid", "sparse", sparse)
    if not isinstance(indexing, str) or indexing not in ("xy", "ij"):
        raise RangeError("meshgrid", "indexing must be 'xy' or 'ij'", indexing=indexing)
    for vector in vectors:
        if vector.ndim > 1:
            rule = "arrays must be 0-D or 1-D"
            raise LayoutError("meshgrid", rule, shape=vector.shape)
    dims = list(range(len(vectors)))
    if indexing == "xy":
        dims[:2] = reversed(dims[:2])
    sizes = [1] * len(vectors)
    for dim, vector in zip(dims, vectors):
        sizes[dim] = vector.size
    grids = []
    for dim, vector in zip(dims, vectors):
        along = vector.layout.view([vector.size if k == dim else 1 for k in range(len(vectors))])
        assert along is not None  # since it only adds dims of size 1
        grids.append(vector.over(along if thin else along.expand(sizes)))
    return tuple(grids)


def _triangle(
    what: str, x: Tensor, k: int, memory_format: MemoryFormat, out: Tensor | None
) -> Tensor:
    x, which = to_tensor(what, "x", x), to_int(what, "k", k)
    if x.ndim < 2:
        raise LayoutError(what, "x must have at least two dims", shape=x.shape)
    with ErrorsAs(what):
        layout = x.layout.like(memory_format)
    result = result_over(what, layout, x.dtype, x, out)
    rows, columns = x.shape[-2:]
    if not x.size:
        return result
    # Whether an element is kept depends only on its diagonal. So the mask of a matrix is a view of
    # one element for each diagonal, from the lowest on, with stride -1 from row to row.
    below = min(max(rows + which - (what == "triu"), 0), rows + columns - 1)
    stays = new_tensor(what, rows + columns - 1, bool_, x.device, contiguous_format)
    ends = {what == "tril": (0, below), what == "triu": (below, rows + columns - 1 - below)}
    for value, (start, length) in ends.items():
        filled(stays.over(stays.layout.narrow(0, start, length)), what, value)
    mask = stays.over(Layout((rows, columns), (-1, 1), rows - 1))
    return where(mask, x, False if x.dtype is bool_ else 0, out=result)


def _count(start: float, stop: float, step: float) -> int:
    """Return the number of elements before `stop`."""
    got = {"start": start, "stop": stop, "step": step}
    if not step:
        raise RangeError("arange", "step must not be 0", **got)
    if all(isinstance(number, int) for number in (start, stop, step)):
        return int(max(0, -((start - stop) // step)))
    try:
        return max(0, math.ceil((stop - start) / step))
    except (OverflowError, ValueError):
        rule = "start, stop, step and the number of steps must be finite"
        raise RangeError("arange", rule, **got) from None


def _check_integers(kind: DType, start: float, step: float, count: int) -> None:
    """Check that the dtype can hold every element."""
    if start != math.floor(start) or step != math.floor(step):
        rule = f"start and step must be whole numbers for dtype {kind.name}"
        raise DTypeError("arange", rule, start=start, step=step)
    if count:
        _check_fit("arange", kind, int(start), int(start) + (count - 1) * int(step))


def _check_fit(what: str, kind: DType, *elements: int) -> None:
    limits = np.iinfo(kind.numpy_name)
    for element in elements:
        if not limits.min <= element <= limits.max:
            raise DTypeError(what, f"elements must fit in {kind.name}", element=element)


def _as_float(exact: Fraction) -> float:
    """Return the nearest float64, at most the largest finite one."""
    try:
        return float(exact)
    except OverflowError:
        return sys.float_info.max if exact > 0 else -sys.float_info.max


def _rounds_equal(kind: DType, number: Fraction, wanted: Fraction) -> bool:
    """Whether both are certain to round to the same number of this dtype."""
    if kind is float64:
        return _as_float(number) == float(wanted)
    near, error = _as_float(number), 1 + 2**-50
    with np.errstate(all="ignore"):
        rounded = np.array([near / error, near * error, float(wanted)]).astype(kind.numpy_name)
    return bool((rounded == rounded[2]).all())
