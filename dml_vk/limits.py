"""What a device allows, and the least that every Vulkan device does."""

from __future__ import annotations

from dataclasses import dataclass

ROUNDS_ASKED = 2**17  # of loops, when a device is opened: more than llvmpipe goes


@dataclass(frozen=True)
class Limits:
    """The numbers that plans and arenas depend on. The defaults are Vulkan's guaranteed minimum."""

    max_range_bytes: int = 2**27  # of one storage buffer as a kernel sees it
    max_push_bytes: int = 128
    max_groups: int = 65535  # in x; no kernel of ours uses y or z
    max_invocations: int = 128  # in one workgroup
    max_storage_buffers: int = 4  # in one kernel
    max_shared_bytes: int = 16384
    unified: bool = False  # host memory and device memory are one
    # Groups a dispatch is cut into at most; beyond, invocations loop. A CPU wants few, fat groups.
    groups_wanted: int = 65535
    # Of all loops of one invocation together, which a driver may end after so many. A device's are
    # counted when it is opened.
    max_rounds: int = 65535
    # How many times as fast as one slow core of a CPU it is sure to be, for plans' estimates.
    pace: float = 1.0

    @property
    def ends_loops(self) -> bool:
        """Going further was tried, and not done; else nobody has asked for more."""
        return self.max_rounds < ROUNDS_ASKED

    @property
    def wants_few_groups(self) -> bool:
        return self.groups_wanted < self.max_groups


MINIMUM = Limits()
