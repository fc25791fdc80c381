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
from dml_vk.kernels.registry import OF_MODULES
from dml_vk.tracing.step import Launch, Verify


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
    kernel = OF_MODULES.get(step.work.module)
    is_safe = step.work.module in (COPY, FILL) or (kernel is not None and kernel.by_position)
    return is_safe and not any(access.writes and access.slot in outer for access in step.accesses)
