"""Kernels bound to arenas, specialised, for a number of groups: made once, kept while in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from time import perf_counter
from typing import NamedTuple

from dml_vk.errors import DeviceMemoryError, explain
from dml_vk.kernels import shaders
from dml_vk.limits import Limits
from dml_vk.runtime import journal
from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.kompute import Pipeline, Runtime
from dml_vk.strides.order import Ints

MOST = 512  # about 170 KiB each in a software driver
SPARE = 8  # one in so many goes early, so that not each new one waits for pending work

Groups = tuple[int, int, int]


class Key(NamedTuple):
    """What a pipeline is made of. `module` is a name of ours, or SPIR-V itself."""

    module: str | bytes
    spec: Ints
    push_words: int
    groups: Groups
    arenas: tuple[Arena, ...]


class Made:
    """A pipeline, and when it was last used, by the count of launches."""

    __slots__ = ("pipeline", "used")

    def __init__(self, pipeline: Pipeline, used: int) -> None:
        self.pipeline = pipeline
        self.used = used


class Pipelines:
    """The pipelines of a device."""

    def __init__(self, runtime: Runtime, refusal: Callable[[], str | None]) -> None:
        self.launches = 0  # so far: the time that counts here
        self._runtime = runtime
        self._refusal = refusal  # why the driver has no room to make one, or None
        self._made: dict[Key, Made] = {}

    def __len__(self) -> int:
        return len(self._made)

    def get(self, key: Key) -> Made:
        made = self._made.get(key)
        if made is not None:
            made.used = self.launches
            return made
        began, spirv, name = perf_counter(), key.module, journal.USERS_KERNEL
        if not isinstance(spirv, bytes):
            name, spirv = spirv, shaders.load_for(spirv, key.spec)
        # A driver that runs out of memory while it compiles ends the process.
        refusal = self._refusal()
        if refusal is not None:
            must = f"the driver must have room for a kernel, but {refusal}"
            raise DeviceMemoryError(explain("kernel", must, kernels=len(self._made)))
        blocks = [arena.block for arena in key.arenas]
        pipeline = self._runtime.pipeline(blocks, spirv, key.spec, key.push_words, key.groups)
        made = self._made[key] = Made(pipeline, self.launches)
        journal.made(name, key.spec, key.groups[0], perf_counter() - began)
        return made

    def shrink(self) -> bool:
        """Let go of the oldest if there are more than MOST; nothing pending may use them."""
        if len(self._made) <= MOST:
            return False
        by_age = sorted(self._made.values(), key=attrgetter("used"))
        kept = set(map(id, by_age[-(MOST - MOST // SPARE) :]))
        self._made = {key: made for key, made in self._made.items() if id(made) in kept}
        return True

    def forget(self, arena: Arena) -> None:
        """Let go of all that are bound to an arena."""
        self._made = {key: made for key, made in self._made.items() if arena not in key.arenas}

    def alive(self) -> Iterable[Pipeline]:
        return [made.pipeline for made in self._made.values()]


def group_count(needed: int, limits: Limits) -> int:
    """A number of groups for `needed`, out of few: each is a pipeline of its own.

    Rounded up to an eighth of an octave, so that at most one group in eight has nothing to do.
    Where few are wanted, one or all: idle ones cost far less than another pipeline.
    """
    if limits.wants_few_groups:
        return 1 if needed == 1 else limits.groups_wanted
    step = max(1, (1 << (needed - 1).bit_length()) // 16)
    return min(limits.max_groups, -(-needed // step) * step)
