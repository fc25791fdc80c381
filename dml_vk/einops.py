"""`import dml_vk.einops` lets einops take tensors: it finds backends as subclasses of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from einops._backends import AbstractBackend

import dml_vk
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array, ArrayLike


class Backend(AbstractBackend):
    """What einops asks of a library; its names and parameters."""

    framework_name = "dml_vk"

    def is_appropriate_type(self, tensor: object) -> bool:
        return isinstance(tensor, Tensor)

    def from_numpy(self, x: ArrayLike) -> Tensor:
        return dml_vk.asarray(x)

    def to_numpy(self, x: Tensor) -> Array:
        return np.asarray(x)

    def arange(self, start: int, stop: int) -> Tensor:
        return dml_vk.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: Sequence[Tensor]) -> Tensor:
        return dml_vk.stack(tensors)

    def tile(self, x: Tensor, repeats: Sequence[int]) -> Tensor:
        return dml_vk.tile(x, repeats)

    def concat(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        return dml_vk.concat(tensors, axis=axis)

    def is_float_type(self, x: Tensor) -> bool:
        return x.dtype.kind in "fc"

    def add_axis(self, x: Tensor, new_position: int) -> Tensor:
        return dml_vk.expand_dims(x, axis=new_position)

    def einsum(self, pattern: str, *x: Tensor) -> Tensor:
        return dml_vk.einsum(pattern, *x)
