"""The interface of a runtime: the commands it takes and the methods that `runtime/` calls.

A runtime is one open Vulkan device. All arguments are checked before: the probe has accepted the
device, the guard the memory, and there are as many push words as the shader declares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

Words = np.ndarray[Any, np.dtype[np.uint32]]
Groups = tuple[int, int, int]
# Objects of the runtime, opaque to all other modules.
Block = Any  # a piece of device memory, bound as a whole
Pipeline = Any  # a module with its constants
Bound = Any  # a pipeline with the blocks it is bound to and its number of groups
Ticket = Any  # a submission


class Dispatch(NamedTuple):
    """Run a bound pipeline. `ns` is only for the schedule, `origin` only for the log."""

    bound: Bound
    push: Words
    ns: float = 0.0  # estimated time
    origin: Any = None  # the operation that it is part of


class Copy(NamedTuple):
    """Copy bytes from block to block. Runtimes that support it have the feature "copy"."""

    source: Block
    source_offset: int
    target: Block
    target_offset: int
    nbytes: int


class Fill(NamedTuple):
    """Fill a range of whole words of a block with one word. The feature is "fill"."""

    block: Block
    offset: int
    nbytes: int
    word: int


class Barrier(NamedTuple):
    """Make later commands of the submission wait for earlier ones. The feature is "barrier"."""


Command = Dispatch | Copy | Fill | Barrier


class Runtime(Protocol):
    """One Vulkan device."""

    features: frozenset[str]
    """The commands it supports besides dispatches: copy, fill, barrier."""

    def allocate(self, words: Words, host: bool) -> Block:
        """Allocate a block as large as `words`, host-visible if `host`."""

    def view(self, block: Block) -> Words:
        """Return the memory of a host-visible block."""

    def pipeline(self, spirv: bytes, spec: Sequence[int], push_words: int) -> Pipeline:
        """Return a module with its specialization constants."""

    def bind(self, pipeline: Pipeline, blocks: Sequence[Block], groups: Groups) -> Bound:
        """Bind a pipeline to blocks. The driver may compile it now, or when it first runs."""

    def submit(self, commands: Sequence[Command], timed: bool = False) -> Ticket:
        """Take commands. Those without a barrier between them must be independent.

        They need not start before `wait`. If this raises, none of them ever runs.
        """

    def wait(self, ticket: Ticket) -> object:
        """Return when all of it is done. Call it once for each ticket, from C, as `map` does.

        Then no signal handler runs between the end of the work and its record by the caller,
        which therefore knows for certain what has run.
        """

    def microseconds(self, ticket: Ticket) -> list[float] | None:
        """Return the time of each command of a timed submission, or None without timestamps."""

    def leak(self, objects: Iterable[Any]) -> None:
        """Never destroy these objects, or the device, in this process, which is a forked child."""
