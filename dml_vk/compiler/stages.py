"""The stages of compiling: from what a function did when it was captured to its program.

Each takes the steps of the one before and returns steps that do the same: `passes` has them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from dml_vk.compiler.passes.checks import late
from dml_vk.compiler.passes.constants import with_constants
from dml_vk.compiler.passes.formats import in_formats
from dml_vk.compiler.passes.fuse import fused
from dml_vk.compiler.passes.inline import inlined
from dml_vk.compiler.passes.liveness import Step, levels, needed
from dml_vk.compiler.passes.memory import shared
from dml_vk.compiler.program import Program
from dml_vk.compiler.results import Results
from dml_vk.observe.copies import Copy
from dml_vk.tensor.core import Tensor
from dml_vk.tracing.capture import Capture


def program_of(
    capture: Capture,
    arguments: Sequence[Tensor],
    result: object,
    copies: Sequence[Copy],
    donated: Collection[int] = (),
    layout: str | None = None,
) -> Program:
    """Make a program of a capture, whose function was given these tensors without values.

    `copies` are those that it made; `donated` are slots of arguments that are not used after a
    call; in `layout`, if it is given, operations of networks are done.
    """
    profile = capture.device.profile
    # Memory formats of operations: the only stage that repeats them.
    formats = in_formats(capture, result, copies, layout) if layout else None
    results = Results(capture, arguments, result)
    returned = results.slots
    # Constants: what the host writes is uploaded now.
    steps = with_constants(capture, returned)
    known = [*range(capture.arguments), *sorted(capture.outside)]
    outer = {*known, *returned}
    # Dead code: steps whose results nobody reads.
    steps = needed(steps, outer)
    # Checks: each splits the program unless it is at the end.
    steps = late(steps, known)
    # Fusion: elementwise launches become chains, each of one kernel.
    steps = fused(steps, outer, profile)
    # Inlining: chains become part of kernels that make what they read, or read what they make.
    steps = inlined(steps, outer, profile)
    steps = _by_level(capture, steps)
    # Memory: results and temporaries share blocks.
    own = sorted(returned.difference(known))
    on_levels = [step.level for step in steps]
    sharing = shared(steps, on_levels, capture.slots, own, set(donated) - returned, known)
    return Program(capture, results, steps, sharing, copies, formats)


def _by_level(capture: Capture, steps: Sequence[Step]) -> list[Step]:
    """The steps in order of the levels on which they run, which they have from here on."""
    on_levels = [
        replace(step, level=level) for level, step in zip(levels(steps, capture.slots), steps)
    ]
    return sorted(on_levels, key=lambda step: step.level)
