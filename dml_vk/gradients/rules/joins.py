"""Joins: the parts of a gradient go to what was joined."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import to_axis
from dml_vk.array.manipulation import shapes
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.gradients.rules.shapes import fitted
from dml_vk.tensor.core import Tensor


@rule(shapes._concat)
def _concat(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    axis, _ = noted.params
    dim = 0 if axis is None else to_axis("concat", "axis", axis, cotangent.ndim)
    at, gradients = 0, []
    for x in noted.operands:
        length = x.size if axis is None else x.shape[dim]
        part = cotangent.narrow(dim, at, length)
        gradients.append(fitted(part.reshape(x.shape), x))
        at += length
    return gradients
