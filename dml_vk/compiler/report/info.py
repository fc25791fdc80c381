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
    builds = [program.builds for program in programs if program.builds is not None]
    return CompileInfo(
        len(programs),
        sum([len(part.launches) for program in programs for part in program.parts]),
        sum([build.kernels for build in builds]),
        sum([build.saved for build in builds]),
        sum([program.capture_seconds for program in programs], 0.0),
        sum([build.seconds for build in builds], 0.0),
    )
