"""Checks come as late as they can, so that few of them split a program.

What a program computes in memory of its own is dropped if a check fails. So a check may wait for
the end, past launches that access memory by position alone, which do no harm whatever they read,
unless they overwrite what it checks or its error is of.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence

from dml_vk.compiler.passes.liveness import Step, slots_of
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.transfer import COPY, FILL
from dml_vk.tracing.step import Launch, Verify

# Families beside the elementwise ones that access no memory at addresses which depend on values.
_BY_POSITION = (
    *(COPY, FILL, "copy_", "fill_", "sequence_", "matmul_", "conv_", "depthwise", "pool_"),
    *("reduce_", "rows_", "finish_", "pairs_", "scan_", "fft_", "sort_", "gather_check"),
    *("philox_", "uniform", "normal"),
)


def late(steps: Sequence[Step], outer: Collection[int]) -> list[Step]:
    """Return the steps with late checks; `outer` are the slots that live on if one fails."""
    ordered: list[Step] = []
    waiting: list[Verify] = []
    for step in steps:
        if isinstance(step, Verify):
            waiting.append(step)
            continue
        checked = [slot for check in waiting for slot in slots_of(check)]
        if not _is_harmless(step, {*outer, *checked}):
            ordered += waiting
            waiting = []
        ordered.append(step)
    return ordered + waiting


def _is_harmless(step: Launch, outer: Container[int]) -> bool:
    """Whether it may run on what a check would have refused."""
    if not isinstance(step.work, Plan):  # a user's shader
        return False
    is_by_position = step.computed is not None or step.work.module.startswith(_BY_POSITION)
    return is_by_position and not any(
        access.writes and access.slot in outer for access in step.accesses
    )
