"""Numbers that are spaced evenly on a logarithmic scale.

They are computed in float64 by `exp`, `log` and `pow` of the device, and rounded once: so they have
the same bits everywhere.
"""

from __future__ import annotations

from dml_vk.array.creation.arrays import full
from dml_vk.array.creation.grids import dtype_of_spaced, linspace
from dml_vk.array.math.elementwise import (
    abs,
    astype,
    divide,
    equal,
    exp,
    less_equal,
    log,
    multiply,
    pow,
    sign,
    subtract,
    where,
)
from dml_vk.dtypes import DType, DTypeLike, complex128, float64
from dml_vk.errors import DTypeError, ErrorsAs, RangeError
from dml_vk.layout import MemoryFormat, contiguous_format
from dml_vk.tensor.core import DeviceLike, Tensor
from dml_vk.tensor.operands import to_complex


def logspace(
    start: complex,
    stop: complex,
    /,
    num: int = 50,
    *,
    endpoint: bool = True,
    base: complex = 10.0,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """Create `num` powers of the base, whose exponents are those of `linspace` in float64.

    Numbers may be complex, which makes the result so. NumPy's arrays of ends are not supported.

    >>> import dml_vk
    >>> dml_vk.logspace(0, 3, 4).tolist(), dml_vk.logspace(0, 3, 3, base=2, endpoint=False).tolist()
    ([1.0, 10.0, 100.0, 1000.0], [1.0, 2.0, 4.0])
    """
    what = "logspace"
    numbers = _numbers(what, start=start, stop=stop, base=base)
    kind, wide = _kinds(what, numbers, dtype)
    with ErrorsAs(what):
        first, last, radix = numbers
        spiral = isinstance(first, complex) or isinstance(last, complex)
        powers = linspace(
            first,
            last,
            num,
            dtype=complex128 if spiral else float64,
            device=device,
            endpoint=endpoint,
            memory_format=memory_format,
        )
        values = pow(full((), radix, wide, device=powers.device), powers)
        return astype(values, kind, copy=False)


def geomspace(
    start: complex,
    stop: complex,
    /,
    num: int = 50,
    *,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """Create `num` numbers from `start` to `stop`, each the same multiple of the one before.

    Both ends are exact, and the others are computed from the nearer one. Neither may be 0, and real
    ones must have one sign. Complex ones lie on a spiral, which turns by half a circle at most.
    NumPy's arrays of ends are not supported.

    >>> import dml_vk
    >>> dml_vk.geomspace(1, 8, 4).tolist(), dml_vk.geomspace(16, 1, 2, endpoint=False).tolist()
    ([1.0, 2.0, 4.0, 8.0], [16.0, 4.0])
    """
    what = "geomspace"
    ends = _numbers(what, start=start, stop=stop)
    kind, wide = _kinds(what, ends, dtype)
    first, last = ends
    if not (first and last):
        raise RangeError(what, "start and stop must not be 0", start=start, stop=stop)
    if wide is float64 and (first.real < 0) != (last.real < 0):
        rule = "real start and stop must have one sign"
        raise RangeError(what, rule, start=start, stop=stop)
    with ErrorsAs(what):
        share = linspace(
            0.0,
            1.0,
            num,
            dtype=float64,
            device=device,
            endpoint=endpoint,
            memory_format=memory_format,
        )
        first_end, last_end = (full((), end, wide, device=share.device) for end in ends)
        # What one end is multiplied by to give the other, as an exponent that cannot overflow.
        growth = subtract(log(divide(last_end, sign(first_end))), log(abs(first_end)))
        near = less_equal(share, 0.5)
        off = where(near, share, subtract(share, 1.0))
        end = where(near, first_end, last_end)
        values = where(equal(off, 0), end, multiply(end, exp(multiply(growth, off))))
        return astype(values, kind, copy=False)


def _numbers(what: str, **named: complex) -> list[complex]:
    return [to_complex(what, name, number) for name, number in named.items()]


def _kinds(what: str, numbers: list[complex], dtype: DTypeLike | None) -> tuple[DType, DType]:
    """Return the dtypes of the result and of the computation."""
    kind = dtype_of_spaced(what, numbers, dtype)
    if kind.kind not in "fc":
        raise DTypeError(what, "dtype must be floating-point", dtype=kind)
    return kind, complex128 if kind.kind == "c" else float64
