"""The limits of a device, Vulkan's guaranteed minimum, and tuning parameters."""

from __future__ import annotations

from dataclasses import dataclass

ROUNDS_ASKED = 2**17  # loop iterations to try when a device is opened: more than llvmpipe's limit


@dataclass(frozen=True)
class Limits:
    """The limits of a device. The defaults are Vulkan's guaranteed minimum."""

    max_range_bytes: int = 2**27  # of one storage buffer binding
    max_push_bytes: int = 128
    max_groups: int = 65535  # in x; our kernels do not use y and z
    max_invocations: int = 128  # in one workgroup
    max_storage_buffers: int = 4  # in one kernel
    max_shared_bytes: int = 16384
    unified: bool = False  # host and device share their memory
    # Iterations of all loops of one invocation together, after which some drivers end them. It is
    # measured when a device is opened.
    max_rounds: int = 65535

    @property
    def ends_loops(self) -> bool:
        """Whether the device was measured to end loops after `max_rounds`."""
        return self.max_rounds < ROUNDS_ASKED


@dataclass(frozen=True, eq=False)
class Profile(Limits):
    """Limits and tuning parameters: everything about a device that plans depend on.

    The defaults are those of a GPU; `driver.probe` makes the profiles of devices. Each property
    that a planner needs has a field of its own, and is never inferred from another one.
    """

    # Plans are cached by profile: comparison by identity makes the lookup fast.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    # Invocations that run in lockstep, or nearly so, and do adjacent work items.
    lanes: int = 32
    # Whether lanes load adjacent addresses together, and so use up cache lines together. Otherwise
    # each must use up its own lines before they are evicted.
    coalesces: bool = True
    # Whether the lanes of a lane group are a subgroup that can shuffle, and passing on what one of
    # them reads takes less time than reading it in each.
    shuffles: bool = False
    # Quads that a work item moves. Address computation is a fixed cost per work item.
    quads_per_unit: int = 1
    # Work items that keep the device busy if they are long. Planners of shorter ones want a
    # multiple of it.
    units_wanted: int = 2**13
    # What runs workgroups, each its own, as "SM" or "compute unit": a guess where the driver does
    # not say.
    processors: int = 32
    # The most rows and columns of sums that a work item may keep in a tile, if there is much work.
    tile_span: int = 8
    # The most workgroups of a dispatch, where idle ones cost more than they gain. None: as many as
    # there is work for.
    groups_wanted: int | None = None
    # How much of a long row one invocation takes: elements of a merge of two sorted runs; elements
    # of a scan, if there are few rows; and the log2 of the least and the most leaves of a reduction
    # in several passes, unless workgroups reduce together.
    merge_chunk: int = 32
    # And of a pass of a radix sort; 0 where rows of any length are merged.
    sort_chunk: int = 0
    scan_chunk: int = 256
    reduce_chunks: tuple[int, int] = (4, 6)
    # A pipeline is compiled at its first run, not when it is created.
    compiles_late: bool = False
    # Whether the driver is told which loops to unroll.
    unrolls: bool = True
    # Whether elements of 64 bits take less time to load and store than pairs of words.
    widens: bool = False
    # As reported by the device: the invocations of a subgroup, and capabilities that can be used
    # without being enabled.
    subgroup: int = 1
    features: frozenset[str] = frozenset()


MINIMUM = Profile()
