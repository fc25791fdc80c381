"""Orders: what is sorted passes its gradient to where it was."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.indexing.take import along_axis
from dml_vk.array.sorting import searching, sorts
from dml_vk.array.statistics import quantiles
from dml_vk.gradients.rules.registry import Noted, rule, zero_gradient
from dml_vk.tensor.core import Tensor


@rule(sorts._sorted)
def _sorted(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,), (dim, descending) = noted.operands, noted.params
    order = sorts.argsort(x, axis=dim, descending=descending)
    return (along_axis(cotangent, sorts.argsort(order, axis=dim), dim),)


@rule(quantiles._unless_equal)
def _between(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    return None, None, cotangent


zero_gradient(sorts._order, sorts._first_order, searching._searched)
