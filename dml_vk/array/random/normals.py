"""Normal numbers in float64, real and complex, made of uniform floats."""

from __future__ import annotations

import math

from dml_vk.array.data_types import imag, real
from dml_vk.array.math.elementwise import add, cos, log, multiply, sin, sqrt, subtract
from dml_vk.tensor.core import Tensor


def fill_normal(target: Tensor, uniform: Tensor, mean: complex, std: float) -> Tensor:
    """Fill float64 or complex128 by Box-Muller, one operation in float64 after the other.

    The last dim of the uniform floats has two: one for the length, one for the angle. A real number
    is the first coordinate.
    """
    is_complex = target.dtype.kind == "c"
    # The logarithm is of numbers above 0, and at most 1.
    square = multiply(log(subtract(1.0, uniform[..., 0])), -1.0 if is_complex else -2.0)
    size = multiply(sqrt(square), std)
    angle = multiply(uniform[..., 1], 2 * math.pi)
    multiply(size, cos(angle), out=real(target) if is_complex else target)
    if is_complex:
        multiply(size, sin(angle), out=imag(target))
    return target if mean == 0 else add(target, mean, out=target)
