"""Fourier transforms, named and called as in the array API standard and in NumPy.

A transform of n points along an axis is the sum of x[j] * exp(-2 pi i j k / n) for each k; an
inverse one has the other sign. Any length is possible: those whose prime factors are small are the
fastest. `norm` says where results are divided by n: "backward" in the inverse transform, "forward"
in the other one, or "ortho" by the root of n in both. Integers and float16 are computed in float32.
Missing points are 0, and those beyond the length are left out.

The same input gives the same bits on every device, in every layout and batch.
docs/operators.md says how exact results are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from dml_vk.arguments import Axes, to_int
from dml_vk.array.creation.arrays import asarray
from dml_vk.array.manipulation.padding import roll
from dml_vk.array.manipulation.shapes import to_axes
from dml_vk.array.math.fourier import COMPLEX, REAL, TO_REAL, transform
from dml_vk.dtypes import DTypeLike, float32, to_dtype
from dml_vk.errors import ErrorsAs, RangeError
from dml_vk.ops.fft import MOST_POINTS
from dml_vk.strides.order import row_major
from dml_vk.tensor.core import DeviceLike, Tensor
from dml_vk.tensor.host import Array
from dml_vk.tensor.operands import check_dtype, of_kinds, to_number, to_tensor

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

Norm = Literal["backward", "ortho", "forward"]


def fft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return the Fourier transforms along an axis, of n points.

    >>> import dml_vk
    >>> dml_vk.fft.fft(dml_vk.asarray([1.0, 2.0, 3.0, 4.0])).tolist()
    [(10+0j), (-2+2j), (-2+0j), (-2-2j)]
    """
    return transform("fft", COMPLEX, x, n if n is None else (n,), (axis,), norm, out, name="n")


def ifft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse Fourier transforms along an axis.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, 2.0, 3.0, 4.0])
    >>> dml_vk.real(dml_vk.fft.ifft(dml_vk.fft.fft(x))).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return transform(
        "ifft", COMPLEX, x, n if n is None else (n,), (axis,), norm, out, inverse=True, name="n"
    )


def fftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return the transforms along several axes, by default all; `s` are their lengths.

    >>> import dml_vk
    >>> dml_vk.fft.fftn(dml_vk.asarray([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return transform("fftn", COMPLEX, x, s, axes, norm, out)


def ifftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse transforms along several axes: the inverse of `fftn`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[10.0, -2.0], [-4.0, 0.0]])
    >>> dml_vk.real(dml_vk.fft.ifftn(x)).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return transform("ifftn", COMPLEX, x, s, axes, norm, out, inverse=True)


def fft2(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Call `fftn` for the last two axes, or two others.

    >>> import dml_vk
    >>> dml_vk.fft.fft2(dml_vk.ones((3, 4))).shape
    (3, 4)
    """
    return transform("fft2", COMPLEX, x, s, axes, norm, out)


def ifft2(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Call `ifftn` for the last two axes, or two others.

    >>> import dml_vk
    >>> dml_vk.fft.ifft2(dml_vk.ones((3, 4))).shape
    (3, 4)
    """
    return transform("ifft2", COMPLEX, x, s, axes, norm, out, inverse=True)


def rfft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return the first n // 2 + 1 points of the transforms of real numbers.

    The others are their conjugates, in the opposite order.

    >>> import dml_vk
    >>> dml_vk.fft.rfft(dml_vk.asarray([1.0, 2.0, 3.0, 4.0])).tolist()
    [(10+0j), (-2+2j), (-2-0j)]
    """
    return transform("rfft", REAL, x, n if n is None else (n,), (axis,), norm, out, name="n")


def irfft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return the real numbers whose transforms start with x: the inverse of `rfft`.

    n is their number, by default 2 * (m - 1) for m points. An odd n must be given. The imaginary
    parts of the first point, and for even n of the last, are taken for 0.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, 2.0, 3.0, 4.0])
    >>> dml_vk.fft.irfft(dml_vk.fft.rfft(x)).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return transform(
        "irfft", TO_REAL, x, n if n is None else (n,), (axis,), norm, out, inverse=True, name="n"
    )


def rfftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return `rfft` along the last axis, and then `fft` along the others.

    >>> import dml_vk
    >>> dml_vk.real(dml_vk.fft.rfftn(dml_vk.ones((2, 4)))).tolist()
    [[8.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return transform("rfftn", REAL, x, s, axes, norm, out)


def irfftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return `ifft` along all axes but the last, and then `irfft` along that.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> dml_vk.fft.irfftn(dml_vk.fft.rfftn(x)).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return transform("irfftn", TO_REAL, x, s, axes, norm, out, inverse=True)


def rfft2(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Call `rfftn` for the last two axes, or two others.

    >>> import dml_vk
    >>> dml_vk.fft.rfft2(dml_vk.ones((3, 4))).shape
    (3, 3)
    """
    return transform("rfft2", REAL, x, s, axes, norm, out)


def irfft2(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Call `irfftn` for the last two axes, or two others.

    >>> import dml_vk
    >>> dml_vk.fft.irfft2(dml_vk.ones((3, 4))).shape
    (3, 6)
    """
    return transform("irfft2", TO_REAL, x, s, axes, norm, out, inverse=True)


def hfft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return the transforms of n points that are each others' conjugates: real numbers.

    x has the first n // 2 + 1 of them, as for `irfft`.

    >>> import dml_vk
    >>> dml_vk.fft.hfft(dml_vk.asarray([10.0, -2.0, -2.0])).tolist()
    [4.0, 12.0, 12.0, 12.0]
    """
    return transform("hfft", TO_REAL, x, n if n is None else (n,), (axis,), norm, out, name="n")


def ihfft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    out: Tensor | None = None,
) -> Tensor:
    """Return the first n // 2 + 1 points of the inverse transforms of real numbers.

    >>> import dml_vk
    >>> dml_vk.fft.ihfft(dml_vk.asarray([4.0, 12.0, 12.0, 12.0])).tolist()
    [(10-0j), (-2-0j), (-2+0j)]
    """
    return transform(
        "ihfft", REAL, x, n if n is None else (n,), (axis,), norm, out, inverse=True, name="n"
    )


def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: DeviceLike = None
) -> Tensor:
    """Return the frequencies of the points of a transform of n numbers that are d apart.

    The default dtype is float32.

    >>> import dml_vk
    >>> dml_vk.fft.fftfreq(4, d=0.5).tolist()
    [0.0, 0.5, -1.0, -0.5]
    """
    return _frequencies("fftfreq", np.fft.fftfreq, n, d, dtype, device)


def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: DeviceLike = None
) -> Tensor:
    """Return the frequencies of the n // 2 + 1 points of `rfft`.

    >>> import dml_vk
    >>> dml_vk.fft.rfftfreq(4, d=0.5).tolist()
    [0.0, 0.5, 1.0]
    """
    return _frequencies("rfftfreq", np.fft.rfftfreq, n, d, dtype, device)


def _frequencies(
    what: str,
    function: Callable[[int, float], Array],
    n: int,
    d: float,
    dtype: DTypeLike | None,
    device: DeviceLike,
) -> Tensor:
    """Compute frequencies in float64, and round them once."""
    count, step = to_int(what, "n", n), to_number(what, "d", d)
    if not 1 <= count <= MOST_POINTS:
        raise RangeError(what, f"n must be from 1 to {MOST_POINTS}", n=n)
    if not 0 < abs(step) <= sys.float_info.max:
        raise RangeError(what, "d must be finite, and not 0", d=d)
    kind = float32 if dtype is None else to_dtype(what, dtype)
    check_dtype(what, kind, of_kinds("f"))
    with np.errstate(over="ignore"):
        frequencies = function(count, float(step)).astype(kind.numpy_name)
    with ErrorsAs(what):
        return asarray(frequencies, device=device)


def fftshift(x: Tensor, /, *, axes: Axes | None = None, out: Tensor | None = None) -> Tensor:
    """Shift the point of frequency 0 to the middle of these axes, by default of all.

    >>> import dml_vk
    >>> dml_vk.fft.fftshift(dml_vk.fft.fftfreq(5, d=0.2)).tolist()
    [-2.0, -1.0, 0.0, 1.0, 2.0]
    """
    return _shifted("fftshift", x, axes, out, 1)


def ifftshift(x: Tensor, /, *, axes: Axes | None = None, out: Tensor | None = None) -> Tensor:
    """Shift the middle of these axes to their start: the inverse of `fftshift`.

    >>> import dml_vk
    >>> dml_vk.fft.ifftshift(dml_vk.asarray([-2.0, -1.0, 0.0, 1.0, 2.0])).tolist()
    [0.0, 1.0, 2.0, -2.0, -1.0]
    """
    return _shifted("ifftshift", x, axes, out, -1)


def _shifted(what: str, x: Tensor, axes: Axes | None, out: Tensor | None, sign: int) -> Tensor:
    x = to_tensor(what, "x", x)
    dims = row_major(x.ndim) if axes is None else to_axes(what, axes, x.ndim, "axes")
    with ErrorsAs(what):
        return roll(x, [sign * (x.shape[dim] // 2) for dim in dims], axis=dims, out=out)
