"""How many kernels a call makes, and how long that takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Builds:
    """Kernels that were made, of which some were read from disk: only the driver had work."""

    def __init__(self) -> None:
        self.kernels = 0
        self.saved = 0
        self.seconds = 0.0


_counting: ContextVar[Builds | None] = ContextVar("dml_vk.builds", default=None)


@contextmanager
def counted() -> Iterator[Builds]:
    """Count what is made in the `with` block."""
    builds = Builds()
    token = _counting.set(builds)
    try:
        yield builds
    finally:
        _counting.reset(token)


def made(seconds: float, *, is_saved: bool) -> None:
    """Note a kernel."""
    builds = _counting.get()
    if builds is not None:
        builds.kernels += 1
        builds.saved += is_saved
        builds.seconds += seconds
