"""Offsets from counts: where what each of them counts begins, if all lie one after the other."""

from __future__ import annotations

from dml_vk.kernels.plan.offsets import plan_offsets
from dml_vk.ops.view import View, access


def make_offsets(counts: View) -> None:
    """Replace each count of a row by the sum of all before it, and the last word by that of all."""
    rows, words = counts.layout.sizes
    plan = plan_offsets(rows, words - 1, counts.device.profile)
    counts.device.launch(plan, (access(counts, True),))
