"""What the host writes in a function is uploaded once, and copied only if it may change later."""

from __future__ import annotations

from collections.abc import Container

from dml_vk.compiler.passes.liveness import Step
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.observe.callers import Caller
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.capture import Capture
from dml_vk.tracing.step import Launch, Upload

_NOBODY = Caller("compile", "", 0)


def with_constants(capture: Capture, returned: Container[int]) -> list[Step]:
    """Return the steps with copies of constants in place of uploads, or nothing.

    Memory that nothing else writes, and that is not returned, becomes memory from outside.
    """
    changes = {
        access.slot
        for step in capture.steps
        if isinstance(step, Launch)
        for access in step.accesses
        if access.writes
    }
    pieces: dict[int, list[Upload]] = {}
    for step in capture.steps:
        if isinstance(step, Upload):
            pieces.setdefault(step.slot, []).append(step)
    for slot, uploads in pieces.items():
        if not (slot in changes or slot in returned or slot < capture.arguments):
            nbytes = capture.slots[slot].nbytes
            capture.outside[slot] = _constant(capture.device, nbytes, uploads)
    steps: list[Step] = []
    for step in capture.steps:
        if not isinstance(step, Upload):
            steps.append(step)
        elif step.slot not in capture.outside:
            steps.append(_copy(capture, step))
    return steps


def _constant(device: Device, nbytes: int, pieces: list[Upload]) -> MemoryRange:
    allocation = device.allocate("compile", nbytes)
    for piece in pieces:
        device.upload(piece.data, allocation, piece.start)
    return allocation


def _copy(capture: Capture, step: Upload) -> Launch:
    nbytes = step.data.size
    source = capture.new(nbytes)
    whole = Upload(source.number, 0, step.data)
    capture.outside[source.number] = _constant(capture.device, nbytes, [whole])
    plan = plan_copy((nbytes,), (1,), (1,), 1, 0, 0, capture.device.profile)
    reads = Access.of(source, 0, 0, nbytes, False)
    slot = capture.slots[step.slot]
    writes = Access.of(slot, step.start, step.start, step.start + nbytes, True)
    return Launch(plan, (reads, writes), (), "compile", _NOBODY, computed=plan.computed)
