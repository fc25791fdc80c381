"""Fills with one value, in any layout."""

from __future__ import annotations

from typing import Any

from dml_vk.dtypes import DType
from dml_vk.kernels.plan.fill import plan_fill
from dml_vk.ops.noted import tape
from dml_vk.ops.numbers import pattern_words
from dml_vk.ops.view import View, access, check_target


def fill_constant(what: str, target: View, dtype: DType, value: Any) -> None:
    """Write one value to all elements."""
    check_target(what, target, "target")
    if (noting := tape()) is not None:
        noting.write(lambda number, to: fill_constant(what, to, dtype, number), value, target)
        return
    words = pattern_words(what, "value", dtype, value)
    if target.layout.numel:
        layout, device = target.layout, target.device
        plan = plan_fill(
            layout.sizes, layout.strides, target.dtype.itemsize, layout.offset, device.profile
        )
        device.launch(plan, (access(target, True),), words)
