"""The interface of a runtime: the commands it takes and the methods that `runtime/` calls.

A runtime is one open Vulkan device. All arguments are checked before: the probe has accepted the
device, sizes are within its limits, and there are as many push words as the shader declares. What
only the driver can know is an exception, after which the process and the runtime go on: a
DeviceMemoryError if memory was short, else a DeviceError.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

PATIENCE_NS = 50_000_000  # of one wait in C, during which Ctrl-C must wait
# Of asking again and again before that: a thread that sleeps is woken 20 to 40 us late.
SPIN_NS = 100_000

Words = np.ndarray[Any, np.dtype[np.uint32]]
Groups = tuple[int, int, int]
Range = tuple[int, int]  # offset and size in bytes
# Where memory lies: next to the device; there too, but the host can write it through the bus, and
# read it very slowly (resizable BAR); in the host's memory, to be written or to be read (cached) by
# the host; or in memory that host and device share. All but "device" is mapped.
MemoryKind = Literal["device", "bar", "upload", "readback", "unified"]
# Objects of the runtime, opaque to all other modules.
Block = Any  # a piece of device memory, bound as a whole; freed with its last reference or view
Pipeline = Any  # a module with its constants
Bound = Any  # a pipeline with the blocks that it is bound to
Ticket = Any  # recorded commands, submitted or not
Prepared = Any  # commands to be submitted again and again


# Of all commands but barriers, `ns` is only for the schedule and `origin` only for the log.
class Dispatch(NamedTuple):
    """Run a bound pipeline."""

    bound: Bound
    push: bytes
    groups: Groups
    ns: float = 0.0  # estimated time
    origin: Any = None  # the operation that it is part of


class Copy(NamedTuple):
    """Copy bytes from block to block; source and target must not overlap."""

    source: Block
    source_offset: int
    target: Block
    target_offset: int
    nbytes: int
    ns: float = 0.0
    origin: Any = None


class Fill(NamedTuple):
    """Fill a range of whole words of a block with one word."""

    block: Block
    offset: int
    nbytes: int
    word: int
    ns: float = 0.0
    origin: Any = None


class Barrier(NamedTuple):
    """Make later commands of the submission wait for earlier ones, and see what they wrote."""


Work = Dispatch | Copy | Fill
Command = Work | Barrier


class HostBlock(Protocol):
    """A block of pages that the host has: where they begin."""

    @property
    def address(self) -> int: ...


class CopyEngine(Protocol):
    """A queue for copies alone, which runs beside that of all other submissions.

    Each of the two has an order of its own, which is what `Runtime` speaks of, until one waits for
    the other.
    """

    def record(self, commands: Sequence[Copy]) -> Ticket:
        """Record copies as `Runtime.record` does, to be submitted by `Runtime.submit`."""

    def follow(self) -> None:
        """Let later copies wait for all that was submitted to the other queue."""

    def precede(self) -> None:
        """Let later submissions to the other queue wait for all copies that were submitted."""


class Runtime(Protocol):
    """One Vulkan device."""

    name: str
    """As in DML_VK_RUNTIME."""

    features: frozenset[str]
    """The optional features of the device that are enabled, such as "shaderInt64"."""

    makes_together: bool
    """Whether several threads may call `pipeline` at a time."""

    keeps_recorded: bool
    """Whether `repeat` submits what `prepare` has recorded, and takes less time than `record`."""

    kinds: frozenset[MemoryKind]
    """The kinds of memory that it can allocate on this device."""

    @property
    def copy_engine(self) -> CopyEngine | None:
        """What copies beside the kernels, where the device and the runtime have it."""

    def allocate(self, nbytes: int, kind: MemoryKind) -> Block:
        """Allocate a multiple of 4 bytes, with unknown contents."""

    def import_pages(self, address: int, nbytes: int, owner: object) -> HostBlock | None:
        """Return a block, for copies only, over pages of the host with all of these bytes.

        It keeps their owner alive. None if the driver does not take them.
        """

    def view(self, block: Block) -> Words:
        """Return the memory of a mapped block. The view keeps the block alive."""

    def pipeline(
        self, spirv: bytes, spec: Sequence[int], push_words: int, bindings: int
    ) -> Pipeline:
        """Make a pipeline of a module and specialization constants 0, 1, ...

        The driver may compile it now, or when it first runs.
        """

    def bind(
        self, pipeline: Pipeline, blocks: Sequence[Block], ranges: Sequence[Range] = ()
    ) -> Bound:
        """Bind a pipeline to blocks, or to a range of each; they stay alive as long as the result.

        Ranges start at multiples of 256 bytes.
        """

    def record(self, commands: Sequence[Command], timed: bool = False) -> Ticket:
        """Record commands, which nothing runs yet. Until it is done, the ticket must be kept.

        Commands without a barrier between them must be independent. What the host wrote before
        `submit`, and what earlier submissions wrote, is visible to all of them.
        """

    def prepare(self, commands: Sequence[Command]) -> Prepared:
        """Prepare commands that will be submitted often; they stay alive as long as the result."""

    def repeat(self, prepared: Prepared) -> Ticket:
        """Return a ticket for one more submission of what was prepared, as `record` does."""

    def submit(self, ticket: Ticket) -> None:
        """Start recorded commands after all that were submitted before.

        If it raises an error of the package, they never run. After any other exception, such as
        Ctrl-C, `is_submitted` tells whether they do.
        """

    def is_submitted(self, ticket: Ticket) -> bool:
        """Whether these commands have been started, even if `submit` did not return."""

    def is_done(self, ticket: Ticket) -> bool:
        """Whether all of a submission, and of those before it, has run. It does not wait."""

    def wait(self, ticket: Ticket) -> None:
        """Return when `is_done`, and the host may read what was written. Other threads run on.

        After an exception, such as Ctrl-C, wait again.
        """

    def microseconds(self, ticket: Ticket) -> list[float] | None:
        """Return the time of each command but barriers of a timed submission that is done.

        None if the device cannot measure it.
        """

    def leak(self, objects: Iterable[object]) -> None:
        """Never destroy these objects, or the device, in this process, which is a forked child."""
