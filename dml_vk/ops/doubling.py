"""Logarithms of cumulative sums by doubling, where workgroups do several rounds in one launch.

Element k becomes `logaddexp` of itself and the element before it, then of the results and those two
before, four, and so on: the order of `logcumsumexp`, on any device.
"""

from __future__ import annotations

import math

from dml_vk.dtypes import float64
from dml_vk.kernels.plan.doubling import plan_doubling, stages_of
from dml_vk.layout import Layout
from dml_vk.ops.view import View, access, temporary


def add_logarithms(what: str, source: View, dim: int) -> View:
    """Return the result for packed row-major elements of float32 or float64, along a dim."""
    sizes, device = source.layout.sizes, source.device
    length, inner = sizes[dim], math.prod(sizes[dim + 1 :])
    matrices, count = math.prod(sizes[:dim]), length * inner
    kind = "double" if source.dtype is float64 else "float"
    result = source
    for stage in stages_of(kind, length, inner):
        plan = plan_doubling(kind, matrices, count, stage, device.profile)
        target = temporary(what, Layout(sizes), source.dtype, source)
        device.launch(plan, (access(result, False), access(target, True)))
        result = target
    return result
