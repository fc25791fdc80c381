"""What the first calls of a compiled function took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dml_vk.compiler.program import Program


class CompileInfo(NamedTuple):
    """Programs and kernels of a compiled function, and how long the first calls made them."""

    programs: int  # one for each signature
    kernels: int  # launches of all programs
    kernels_made: int  # that the process did not have before
    kernels_from_disk: int  # of these: only the driver had to compile them
    capture_seconds: float  # to call the function and make the programs
    build_seconds: float  # to make the kernels


def info_of(programs: Sequence[Program]) -> CompileInfo:
    builds = [one.builds for one in programs if one.builds is not None]
    return CompileInfo(
        len(programs),
        sum([len(part.jobs) for one in programs for part in one.parts]),
        sum([one.kernels for one in builds]),
        sum([one.saved for one in builds]),
        sum([one.capture_seconds for one in programs], 0.0),
        sum([one.seconds for one in builds], 0.0),
    )
