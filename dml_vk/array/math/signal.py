"""NumPy's convolution and correlation of two sequences.

Terms are added in an order that depends on their number alone: those of float32 as in `nn.conv`,
those of integers, which wrap, as in `matmul`, and those of float64, each rounded, as in `sum`.
float16 is computed in float32 and rounded once. What lies outside a sequence is never multiplied.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from dml_vk.array.calls import composed
from dml_vk.array.creation.grids import arange
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.manipulation.padding import pad
from dml_vk.array.math.elementwise import astype, conj, multiply, where
from dml_vk.array.products.einsum import numeric_dtype
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.sorting.searching import check_one_dim
from dml_vk.array.statistics.reductions import sum
from dml_vk.array.windows.sliding import sliding_window_view
from dml_vk.dtypes import DType, float32, float64
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.layout import Layout
from dml_vk.ops.conv import convolve as convolve_windows
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import check_out, of_kind, result_over
from dml_vk.windows import Window

_AT_ONCE = 2**20  # products of float64 that are held in memory
_MODES = ("full", "same", "valid")


def convolve(a: Tensor, v: Tensor, /, mode: str = "full", *, out: Tensor | None = None) -> Tensor:
    """Return the sums of `a[k] * v[n - k]`, of which "same" are as many as the longer has elements.

    "full" are all sums with a term, and "valid" those with as many as the shorter has elements. A
    tensor without dims is a sequence of one.

    >>> import dml_vk
    >>> a, v = dml_vk.asarray([1, 2, 3]), dml_vk.asarray([0, 1, 10])
    >>> dml_vk.convolve(a, v).tolist(), dml_vk.convolve(a, v, "same").tolist()
    ([0, 1, 12, 23, 30], [1, 12, 23])
    """
    what = "convolve"
    a, v = (_sequence(x) for x in upload_operands(what, a, v))
    a, v, dtype = _checked(what, a, v, mode)
    if v.size > a.size:
        a, v = v, a
    return _slide(what, a, v.over(v.layout.flip(0)), mode, dtype, out)


def correlate(a: Tensor, v: Tensor, /, mode: str = "valid", *, out: Tensor | None = None) -> Tensor:
    """Return the sums of `a[n + k] * v[k]`, with the modes of `convolve`.

    Of complex v the conjugate is multiplied.

    >>> import dml_vk
    >>> a, v = dml_vk.asarray([1, 2, 3]), dml_vk.asarray([0, 1, 10])
    >>> dml_vk.correlate(a, v).tolist(), dml_vk.correlate(a, v, "full").tolist()
    ([32], [10, 21, 32, 3, 0])
    """
    what = "correlate"
    a, v, dtype = _checked(what, a, v, mode)
    v = conj(v) if v.dtype.kind == "c" else v
    if v.size <= a.size:
        return _slide(what, a, v, mode, dtype, out)
    if out is not None:
        check_out(what, out, (_length(a.size, v.size, mode),), dtype, a)
        out = out.over(out.layout.flip(0))
    reversed_sums = _slide(what, v, a, mode, dtype, out)
    return reversed_sums.over(reversed_sums.layout.flip(0))


def _sequence(x: Tensor) -> Tensor:
    return x.unsqueeze(0) if isinstance(x, Tensor) and not x.ndim else x


def _checked(what: str, a: Tensor, v: Tensor, mode: str) -> tuple[Tensor, Tensor, DType]:
    a, v = upload_operands(what, a, v)
    dtype = numeric_dtype(what, (("a", a), ("v", v)))
    for name, x in (("a", a), ("v", v)):
        check_one_dim(what, name, x)
        if not x.size:
            raise LayoutError(what, "a and v must not be empty", a=a.shape, v=v.shape)
    if mode not in _MODES or not isinstance(mode, str):
        raise RangeError(what, "mode must be 'full', 'same' or 'valid'", mode=mode)
    return a, v, dtype


def _length(first: int, second: int, mode: str) -> int:
    longer, shorter = builtins.max(first, second), builtins.min(first, second)
    return longer + {"full": shorter - 1, "same": 0, "valid": 1 - shorter}[mode]


def _slide(what: str, a: Tensor, v: Tensor, mode: str, dtype: DType, out: Tensor | None) -> Tensor:
    """Slide v, which is not longer, along a."""
    before = {"full": v.size - 1, "same": v.size // 2, "valid": 0}[mode]
    length = _length(a.size, v.size, mode)
    if dtype.kind == "f" and dtype is not float64:
        return composed(slide_floats, (a, v), out, what, before, length, dtype)
    target = result_over(what, Layout((length,)), dtype, a, out)
    with ErrorsAs(what):
        a, v = (of_kind(what, Tensor(copy_if_overlapping(what, x, target)), dtype) for x in (a, v))
        after = length + v.size - 1 - before - a.size
        padded = pad(astype(a, dtype, copy=False), ((before, after),)) if v.size > 1 else a
        seen = sliding_window_view(padded, v.size)
        if dtype is not float64:
            return matmul(seen, v, out=target)
        return _slide_doubles(seen, v, before, a.size, target)


def slide_floats(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    before: int,
    length: int,
    dtype: DType,
) -> Tensor:
    """Slide v along a, from so many elements before it; any of the two may be longer."""
    target = result_over(what, Layout((length,)), dtype, operands[0], out)
    with ErrorsAs(what):
        a, v = (
            of_kind(what, Tensor(copy_if_overlapping(what, x, target)), dtype) for x in operands
        )
        sums = tensor_over(what, Layout((1, 1, length)), float32, a.device, a.allocation)
        image, weight = (x.over(x.layout.unsqueeze(0).unsqueeze(0)) for x in (a, v))
        window = Window(a.size, length, v.size, before=before)
        convolve_windows(what, image, weight, None, sums, (window,), 1)
        return astype(sums.over(Layout((length,))), dtype, out=target)


def _slide_doubles(seen: Tensor, v: Tensor, before: int, length: int, target: Tensor) -> Tensor:
    """Add products in blocks of results, with 0 in place of those outside."""
    each = builtins.max(1, _AT_ONCE // v.size)
    places = arange(v.size, device=v.device)
    for start in range(0, target.size, each):
        count = builtins.min(each, target.size - start)
        rows = arange(start - before, start - before + count, device=v.device)
        at = rows[:, None] + places
        inside = (at >= 0) & (at < length)
        products = multiply(seen[start : start + count], v)
        sum(where(inside, products, 0.0), axis=1, out=target[start : start + count])
    return target
