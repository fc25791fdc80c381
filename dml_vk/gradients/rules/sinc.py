"""The sine of pi * x over pi * x: at 0 its derivative is 0."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from dml_vk.array.math.elementwise import (
    astype,
    cos,
    divide,
    equal,
    multiply,
    remainder,
    round,
    subtract,
    where,
)
from dml_vk.array.math.number_parts import _sinc, sinc
from dml_vk.dtypes import float64
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.gradients.rules.shapes import fitted
from dml_vk.tensor.core import Tensor


@rule(_sinc)
def of_sinc(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,) = noted.operands
    wide = astype(x, float64, copy=False)
    is_none, nearest = equal(wide, 0.0), round(wide)
    # Exact before it is multiplied by pi, as in the function itself.
    cosine = cos(multiply(subtract(wide, nearest), pi))
    cosine = where(equal(remainder(nearest, 2.0), 0.0), cosine, multiply(cosine, -1.0))
    slope = divide(subtract(cosine, sinc(wide)), where(is_none, 1.0, wide))
    return [fitted(multiply(astype(cotangent, float64), where(is_none, 0.0, slope)), x)]
