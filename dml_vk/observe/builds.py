"""How many kernels a call makes, and how long that takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dml_vk import context


class Builds:
    """Kernels that were built; those read from disk only had to be compiled by the driver."""

    def __init__(self) -> None:
        self.kernels = 0
        self.saved = 0
        self.seconds = 0.0


@contextmanager
def counted() -> Iterator[Builds]:
    """Count what is made in the `with` block."""
    builds = Builds()
    with context.within(builds=builds):
        yield builds


def kernel_built(seconds: float, *, is_saved: bool) -> None:
    """Note a kernel."""
    builds = context.get().builds
    if builds is not None:
        builds.kernels += 1
        builds.saved += is_saved
        builds.seconds += seconds
