"""The inverse of the error function, computed in float64 for all dtypes and rounded once."""

from __future__ import annotations

import math

from dml_vk.array.math.elementwise import (
    abs,
    add,
    astype,
    copysign,
    divide,
    erf,
    erfc,
    exp,
    less,
    log1p,
    multiply,
    negative,
    sqrt,
    square,
    subtract,
    where,
)
from dml_vk.dtypes import float32, float64
from dml_vk.errors import ErrorsAs
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, of_kinds, result_over, to_tensor

_WINITZKI = 0.147  # at most 0.2 % off everywhere
_STEPS = 3  # of Halley's method, each of which triples the number of digits


def erfinv(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the numbers of which x are the error functions: infinite for 1 and -1, NaN beyond.

    float16 and float32 are within 0.51 ulp, float64 is within 2. Integers give float32.

    >>> import dml_vk
    >>> dml_vk.special.erfinv(dml_vk.asarray([0.0, 0.5, -1.0])).tolist()
    [0.0, 0.4769362807273865, -inf]
    """
    what = "erfinv"
    x = to_tensor(what, "x", x)
    check_dtype(what, x.dtype, of_kinds("biuf"))
    kind = x.dtype if x.dtype.kind == "f" else float32
    result = result_over(what, x.layout.like(), kind, x, out)
    with ErrorsAs(what):
        wide = astype(x, float64, copy=False)
        size = abs(wide)
        estimate = _initial_estimate(size)
        rest = subtract(1.0, size)  # exact where it is small
        for _ in range(_STEPS):
            estimate = _halley_step(estimate, size, rest)
        estimate = where(less(size, 1.0), estimate, divide(size, rest))  # 1 / 0 is infinite
        estimate = where(less(1.0, size), math.nan, estimate)
        return astype(copysign(estimate, wide), kind, out=result)


def _initial_estimate(size: Tensor) -> Tensor:
    """Winitzki's approximation, in a form without cancellation."""
    log = negative(log1p(negative(square(size))))
    scaled = divide(log, _WINITZKI)
    middle = subtract(2 / (math.pi * _WINITZKI), divide(log, 2.0))
    return sqrt(divide(scaled, add(sqrt(add(square(middle), scaled)), middle)))


def _halley_step(estimate: Tensor, size: Tensor, rest: Tensor) -> Tensor:
    """One step of Halley's method; near 1 the error is that of erfc, which keeps its digits."""
    apart = where(less(size, 0.5), subtract(erf(estimate), size), subtract(rest, erfc(estimate)))
    slope = multiply(2 / math.sqrt(math.pi), exp(negative(square(estimate))))
    newton = divide(apart, slope)
    return subtract(estimate, divide(newton, add(1.0, multiply(estimate, newton))))
