"""What rules of layers share: wider dtypes, views of channels, sizes that fit."""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.array.manipulation.padding import pad
from dml_vk.array.manipulation.shapes import permute_dims, reshape
from dml_vk.array.math.elementwise import astype
from dml_vk.dtypes import DType, float16, float32
from dml_vk.gradients.rules.shapes import to_dtype
from dml_vk.tensor.core import Tensor


def like(gradient: Tensor, operand: Tensor) -> Tensor:
    """Convert a gradient that has been computed in a wider dtype, or as complex numbers."""
    return to_dtype(gradient, operand.dtype)


def wide(x: Tensor) -> Tensor:
    """Convert float16 to float32, in which the forward functions compute too."""
    return astype(x, float32, copy=False) if x.dtype is float16 else x


def wide_dtype(dtype: DType) -> DType:
    return float32 if dtype is float16 else dtype


def resized(x: Tensor, shape: Ints) -> Tensor:
    """Drop elements at the end of dims, or add zeros there."""
    x = x[tuple([slice(min(own, size)) for own, size in zip(x.shape, shape)])]
    if x.shape == shape:
        return x
    return pad(x, tuple([(0, size - own) for own, size in zip(x.shape, shape)]))


def exchanged(x: Tensor) -> Tensor:
    """View (N, C, ...) as (C, N, ...)."""
    return permute_dims(x, (1, 0, *range(2, x.ndim)))


def over_channels(numbers: Tensor, rank: int) -> Tensor:
    """View (C,) such that it broadcasts to (N, C, ...)."""
    return reshape(numbers, (numbers.shape[0], *(1,) * (rank - 2)))
