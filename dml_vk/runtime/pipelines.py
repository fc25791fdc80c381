"""Kernels bound to arenas, specialised, for a number of groups: made once, kept while in use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from dml_vk.errors import DeviceMemoryError, explain
from dml_vk.kernels import shaders
from dml_vk.limits import Limits
from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.kompute import Pipeline, Runtime
from dml_vk.strides.order import Ints

MOST = 512  # about 170 KiB each in a software driver

Groups = tuple[int, int, int]


class Key(NamedTuple):
    """What a pipeline is made of. `module` is a name of ours, or SPIR-V itself."""

    module: str | bytes
    spec: Ints
    push_words: int
    groups: Groups
    arenas: tuple[Arena, ...]


class Pipelines:
    """The pipelines of a device, the least recently used first."""

    def __init__(self, runtime: Runtime, refusal: Callable[[], str | None]) -> None:
        self._runtime = runtime
        self._refusal = refusal  # why the driver has no room to make one, or None
        self._made: OrderedDict[Key, Pipeline] = OrderedDict()

    def __len__(self) -> int:
        return len(self._made)

    def get(self, key: Key) -> Pipeline:
        pipeline = self._made.get(key)
        if pipeline is not None:
            self._made.move_to_end(key)
            return pipeline
        spirv = key.module
        if not isinstance(spirv, bytes):
            spirv = shaders.load_for(spirv, key.spec)
        # A driver that runs out of memory while it compiles ends the process.
        refusal = self._refusal()
        if refusal is not None:
            must = f"the driver must have room for a kernel, but {refusal}"
            raise DeviceMemoryError(explain("launch", must, kernels=len(self._made)))
        blocks = [arena.block for arena in key.arenas]
        pipeline = self._runtime.pipeline(blocks, spirv, key.spec, key.push_words, key.groups)
        self._made[key] = pipeline
        return pipeline

    def shrink(self) -> None:
        """Let go of the oldest beyond MOST; nothing pending may use them."""
        while len(self._made) > MOST:
            self._made.popitem(last=False)

    def forget(self, arena: Arena) -> None:
        """Let go of all that are bound to an arena."""
        for key in [key for key in self._made if arena in key.arenas]:
            del self._made[key]

    def alive(self) -> Iterable[Pipeline]:
        return self._made.values()


def group_count(needed: int, limits: Limits) -> int:
    """A number of groups for `needed`, out of few: each is a pipeline of its own.

    Rounded up to an eighth of an octave, so that at most one group in eight has nothing to do.
    Where few are wanted, one or all: idle ones cost far less than another pipeline.
    """
    if limits.wants_few_groups:
        return 1 if needed == 1 else limits.groups_wanted
    step = max(1, (1 << (needed - 1).bit_length()) // 16)
    return min(limits.max_groups, -(-needed // step) * step)
