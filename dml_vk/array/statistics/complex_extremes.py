"""The largest and the smallest of complex numbers: by the real part, and then by the imaginary one.

As in NumPy, a number with a NaN counts as more extreme than all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dml_vk.arguments import Ints
from dml_vk.array.math.elementwise import (
    equal,
    greater,
    isnan,
    less,
    logical_and,
    logical_not,
    logical_or,
    where,
)
from dml_vk.ops.parts import imag_part, real_part
from dml_vk.tensor.core import Tensor

Reduction = Callable[..., Tensor]


def write_extreme(
    choose: Reduction, any_of: Reduction, x: Tensor, axes: Ints, keepdims: bool, target: Tensor
) -> None:
    """Write what `choose`, which is `max` or `min`, says of real numbers; NaN if there is one."""
    nan = any_of(isnan(x), axes, keepdims=keepdims)
    first, seconds = _parts(choose, x, axes)
    first = choose(first, axes, keepdims=keepdims)
    second = choose(seconds, axes, keepdims=keepdims)
    for extreme, part in ((first, real_part(target)), (second, imag_part(target))):
        where(nan, math.nan, extreme, out=Tensor(part))


def is_extreme(choose: Reduction, any_of: Reduction, x: Tensor, axes: Ints) -> Tensor:
    """Return where the elements are that `choose` finds, or those with a NaN if there are any."""
    nan = isnan(x)
    first, seconds = _parts(choose, x, axes)
    is_first = logical_and(
        equal(Tensor(real_part(x)), first),
        equal(seconds, choose(seconds, axes, keepdims=True)),
    )
    return where(any_of(nan, axes, keepdims=True), nan, is_first)


def limited(x: Tensor, bound: Tensor, below: bool) -> Tensor:
    """Return x where it is not below the bound, or not above it, and the bound elsewhere.

    Both have one dtype. NaN stays, and a NaN as bound replaces numbers.
    """
    beyond = less if below else greater
    (first, second), (limit, other) = [
        (Tensor(real_part(tensor)), Tensor(imag_part(tensor))) for tensor in (x, bound)
    ]
    tied = logical_and(equal(first, limit), beyond(second, other))
    outside = logical_or(isnan(bound), logical_or(beyond(first, limit), tied))
    return where(logical_and(outside, logical_not(isnan(x))), bound, x)


def _parts(choose: Reduction, x: Tensor, axes: Ints) -> tuple[Tensor, Tensor]:
    """Return the extreme real parts, and imaginary parts in which other numbers never win."""
    beyond = -math.inf if choose.__name__ == "max" else math.inf
    real = Tensor(real_part(x))
    first = choose(real, axes, keepdims=True)
    return first, where(equal(real, first), Tensor(imag_part(x)), beyond)
