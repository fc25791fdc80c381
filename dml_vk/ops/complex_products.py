"""Products of complex elements up to each, by elementwise multiplications."""

from __future__ import annotations

from dml_vk.kernels.operators import OPERATORS
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.elementwise import compute
from dml_vk.ops.view import View, temporary_like, with_layout


def scan_products(what: str, target: View, dim: int) -> None:
    """Replace each element by the product of all up to it along a dim.

    Round k multiplies each element with the one that is 2**k before it.
    """
    length, step = target.layout.sizes[dim], 1
    while step < length:
        before = temporary_like(what, target, target.dtype)
        copy_elements(what, target, before)
        pairs = [_steps(before, *span, dim=dim) for span in ((0, length - step), (step, length))]
        later = _steps(target, step, length, dim=dim)
        compute(what, OPERATORS["multiply"], pairs, later, target.dtype)
        step *= 2


def _steps(view: View, start: int, stop: int, *, dim: int) -> View:
    return with_layout(view, view.layout.slice(dim, start, stop))
