"""What most rules end with: a gradient of an operand's shape and dtype."""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.array.data_types import real
from dml_vk.array.math.elementwise import astype
from dml_vk.array.statistics.reductions import sum as sum_over
from dml_vk.dtypes import DType
from dml_vk.tensor.core import Tensor


def to_dtype(gradient: Tensor, dtype: DType) -> Tensor:
    """Convert a gradient; that of a real number is the real part."""
    if gradient.dtype.kind == "c" and dtype.kind != "c":
        gradient = real(gradient)
    return gradient if gradient.dtype is dtype else astype(gradient, dtype)


def fitted(gradient: Tensor, operand: object) -> Tensor | None:
    """Return the gradient of an operand that was broadcast and promoted; None if it is a number."""
    if not isinstance(operand, Tensor) or operand.dtype.kind not in "fc":
        return None
    return summed_to(to_dtype(gradient, operand.dtype), operand.shape)


def summed_to(gradient: Tensor, shape: Ints) -> Tensor:
    """Sum over what was broadcast from this shape."""
    more = gradient.ndim - len(shape)
    axes = [
        dim
        for dim, size in enumerate(gradient.shape)
        if dim < more or (shape[dim - more] == 1 and size != 1)
    ]
    if axes:
        gradient = sum_over(gradient, axis=tuple(axes), keepdims=True)
    return gradient.reshape(shape) if gradient.shape != shape else gradient
