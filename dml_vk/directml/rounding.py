"""Results that are computed in float32 and rounded once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor


def widened(*tensors: Tensor) -> list[Tensor]:
    """Tensors as float32."""
    from dml_vk.array.math.elementwise import astype
    from dml_vk.dtypes import float32

    return [astype(x, float32, copy=False) for x in tensors]


def write_rounded(what: str, *results: tuple[Tensor, Tensor]) -> None:
    """Write results of float32 to outputs, rounded once."""
    from dml_vk.ops.elementwise import cast_elements

    for result, out in results:
        cast_elements(what, result, out)
