"""Normal complex numbers in float64, made of uniform floats."""

from __future__ import annotations

import math

from dml_vk.array.data_types import imag, real
from dml_vk.array.elementwise import add, cos, log, multiply, negative, sin, sqrt, subtract
from dml_vk.tensor.core import Tensor


def fill_normal(target: Tensor, uniform: Tensor, mean: complex, std: float) -> Tensor:
    """Fill complex128 by Box-Muller, one operation in float64 after the other.

    The last dim of the uniform floats has two: one for the length, one for the angle.
    """
    # The logarithm is of numbers above 0, and at most 1.
    size = multiply(sqrt(negative(log(subtract(1.0, uniform[..., 0])))), std)
    angle = multiply(uniform[..., 1], 2 * math.pi)
    multiply(size, cos(angle), out=real(target))
    multiply(size, sin(angle), out=imag(target))
    return target if mean == 0 else add(target, mean, out=target)
