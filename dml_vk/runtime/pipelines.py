"""Pipelines: specialized kernels bound to arenas for a number of groups, cached while in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from time import perf_counter
from typing import NamedTuple

from dml_vk.errors import DeviceMemoryError
from dml_vk.kernels.spirv import library
from dml_vk.limits import Profile
from dml_vk.observe import dispatches
from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Bound, Groups, Runtime
from dml_vk.strides.order import Ints

MOST = 512  # about 170 KiB each in a software driver
SPARE = 8  # shrinking drops 1/8 of MOST, so that not every new pipeline needs a flush


class Key(NamedTuple):
    """The key of a bound pipeline. `module` is the name of a built-in kernel, or SPIR-V."""

    module: str | bytes
    spec: Ints
    push_words: int
    groups: Groups
    arenas: tuple[Arena, ...]


class Cached:
    """A bound pipeline, and the number of the launch that used it last."""

    __slots__ = ("bound", "used")

    def __init__(self, bound: Bound, used: int) -> None:
        self.bound = bound
        self.used = used


class Pipelines:
    """The pipelines of a device."""

    def __init__(self, runtime: Runtime, refusal: Callable[[], str | None]) -> None:
        self.launches = 0  # so far: the clock of `Cached.used`
        self._runtime = runtime
        self._refusal = refusal  # why there is no memory to compile one, or None
        self._cached: dict[Key, Cached] = {}

    def __len__(self) -> int:
        return len(self._cached)

    def get(self, key: Key) -> Cached:
        cached = self._cached.get(key)
        if cached is not None:
            cached.used = self.launches
            return cached
        began, spirv, name = perf_counter(), key.module, dispatches.USERS_KERNEL
        if not isinstance(spirv, bytes):
            name, spirv = spirv, library.load_for(spirv, key.spec)
        # A driver that runs out of memory while it compiles ends the process.
        refusal = self._refusal()
        if refusal is not None:
            rule = f"no memory to compile a kernel: {refusal}"
            raise DeviceMemoryError("kernel", rule, kernels=len(self._cached))
        pipeline = self._runtime.pipeline(spirv, key.spec, key.push_words)
        bound = self._runtime.bind(pipeline, [arena.block for arena in key.arenas], key.groups)
        cached = self._cached[key] = Cached(bound, self.launches)
        dispatches.made(name, key.spec, key.groups[0], perf_counter() - began)
        return cached

    def shrink(self) -> bool:
        """Drop the oldest if there are more than MOST; nothing pending may use them."""
        if len(self._cached) <= MOST:
            return False
        by_age = sorted(self._cached.values(), key=attrgetter("used"))
        kept = set(map(id, by_age[-(MOST - MOST // SPARE) :]))
        self._cached = {key: one for key, one in self._cached.items() if id(one) in kept}
        return True

    def forget(self, arena: Arena) -> None:
        """Drop all that are bound to an arena."""
        self._cached = {key: one for key, one in self._cached.items() if arena not in key.arenas}

    def alive(self) -> Iterable[Bound]:
        return [one.bound for one in self._cached.values()]


def arenas_of(accesses: Sequence[Access]) -> tuple[Arena, ...]:
    """The arenas that a kernel binds."""
    return tuple([access.arena for access in accesses])


def group_count(needed: int, profile: Profile) -> int:
    """Round a number of groups up to one of few, since each needs its own pipeline.

    The steps are eighths of an octave, so that at most one group in eight is idle. With
    `groups_wanted` it is 1 or that many: idle groups cost far less than another pipeline.
    """
    if profile.groups_wanted is not None:
        count = 1 if needed == 1 else profile.groups_wanted
    else:
        step = max(1, (1 << (needed - 1).bit_length()) // 16)
        count = -(-needed // step) * step
    return min(profile.max_groups, count)
