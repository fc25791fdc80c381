"""Limits of elements, which are tensors or are not seen by gradients."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.math import clipping
from dml_vk.array.math.elementwise import (
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_or,
    where,
)
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.gradients.rules.shapes import fitted
from dml_vk.nn import distances
from dml_vk.tensor.core import Tensor


@rule(clipping._between)
def clipped(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Elements at a limit have all of it, and limits what they changed; `max` goes before `min`."""
    x, least, most = noted.operands
    of_x, of_least, of_most = cotangent, None, None
    if least is not None:
        of_x = where(greater_equal(x, least), of_x, 0)
        of_least = where(less(x, least), cotangent, 0)
    if most is not None:
        of_x, is_above = where(less_equal(x, most), of_x, 0), greater(x, most)
        if least is not None:
            of_least = where(logical_and(less(x, least), less(least, most)), cotangent, 0)
            is_above = logical_or(is_above, less(most, least))
        of_most = where(is_above, cotangent, 0)
    return [
        None if g is None else fitted(g, operand)
        for g, operand in ((of_x, x), (of_least, least), (of_most, most))
    ]


@rule(distances._at_least)
def at_least(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    return [cotangent]
