"""The gradient of writes: of elements that are copied, or converted to another dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.gradients.rules.shapes import summed_to, to_dtype
from dml_vk.ops.view import View
from dml_vk.tensor.core import Tensor


def saved_of(source: View) -> tuple[Ints, DType]:
    """What `pull_write` needs of the source: the shape and dtype alone."""
    return source.layout.sizes, source.dtype


def pull_write(saved: Sequence[Any], cotangents: Sequence[Tensor | None]) -> Sequence[Any]:
    ((shape, dtype),) = saved
    (cotangent,) = cotangents
    assert cotangent is not None
    return (summed_to(to_dtype(cotangent, dtype), shape),)
