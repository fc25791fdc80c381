"""Windows for signals, named as in NumPy: numbers that fall off towards both ends.

They are computed in float64 by functions of the device, and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi

from dml_vk.arguments import to_int
from dml_vk.array.creation.arrays import full
from dml_vk.array.creation.grids import arange
from dml_vk.array.math.elementwise import (
    abs,
    add,
    astype,
    cos,
    divide,
    exp,
    i0e,
    maximum,
    multiply,
    sqrt,
    square,
    subtract,
)
from dml_vk.dtypes import DTypeLike, float32, float64, to_dtype
from dml_vk.errors import DTypeError, ErrorsAs
from dml_vk.tensor.core import DeviceLike, Tensor
from dml_vk.tensor.operands import to_number


def bartlett(m: int, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Tensor:
    """Return a triangle of m numbers, from 0 to 1 and back.

    >>> import dml_vk
    >>> dml_vk.bartlett(5).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return _window("bartlett", m, dtype, device, lambda n: subtract(1.0, abs(n)))


def blackman(m: int, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Tensor:
    """Return 0.42 + 0.5 cos(pi n) + 0.08 cos(2 pi n) for m numbers n from -1 to 1.

    >>> import dml_vk
    >>> dml_vk.blackman(3).tolist()[1:2]
    [1.0]
    """

    def of(n: Tensor) -> Tensor:
        second = multiply(cos(multiply(n, 2 * pi)), 0.08)
        return add(add(multiply(cos(multiply(n, pi)), 0.5), 0.42), second)

    return _window("blackman", m, dtype, device, of)


def hamming(m: int, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Tensor:
    """Return 0.54 + 0.46 cos(pi n) for m numbers n from -1 to 1.

    >>> import dml_vk
    >>> dml_vk.hamming(3).tolist()[1:2]
    [1.0]
    """
    return _window("hamming", m, dtype, device, lambda n: _raised_cosine(n, 0.54, 0.46))


def hanning(m: int, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Tensor:
    """Return 0.5 + 0.5 cos(pi n) for m numbers n from -1 to 1.

    >>> import dml_vk
    >>> dml_vk.hanning(3).tolist()
    [0.0, 1.0, 0.0]
    """
    return _window("hanning", m, dtype, device, lambda n: _raised_cosine(n, 0.5, 0.5))


def kaiser(
    m: int, beta: float, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None
) -> Tensor:
    """Return i0(beta sqrt(1 - n**2)) / i0(beta) for m numbers n from -1 to 1.

    >>> import dml_vk
    >>> dml_vk.kaiser(3, 0.0).tolist()
    [1.0, 1.0, 1.0]
    """
    shape = float(to_number("kaiser", "beta", beta))

    def of(n: Tensor) -> Tensor:
        inner = multiply(sqrt(maximum(subtract(1.0, square(n)), 0.0)), shape)
        whole = full((), shape, float64, device=n.device)
        powers = exp(subtract(abs(inner), abs(whole)))
        return multiply(divide(i0e(inner), i0e(whole)), powers)

    return _window("kaiser", m, dtype, device, of)


def _raised_cosine(n: Tensor, middle: float, part: float) -> Tensor:
    return add(multiply(cos(multiply(n, pi)), part), middle)


def _window(
    what: str, m: int, dtype: DTypeLike | None, device: DeviceLike, of: Callable[[Tensor], Tensor]
) -> Tensor:
    count = max(0, to_int(what, "m", m))
    kind = float32 if dtype is None else to_dtype(what, dtype)
    if kind.kind != "f":
        raise DTypeError(what, "dtype must be floating-point", dtype=kind)
    with ErrorsAs(what):
        # The middle of a single number is 0.
        n = arange(1 - count, count, 2, dtype=float64, device=device)
        return astype(of(divide(n, float(max(1, count - 1)))), kind, copy=False)
