"""Pipelines: kernels with their constants, bound to arenas, cached while in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, count, takewhile
from operator import attrgetter
from time import perf_counter
from typing import NamedTuple

from dml_vk.errors import DeviceMemoryError
from dml_vk.kernels.plan.chain import Attached, Recipe
from dml_vk.kernels.plan.fused import FUSED
from dml_vk.kernels.spirv.fusing import fused
from dml_vk.kernels.spirv.saved import saved
from dml_vk.kernels.spirv.sources import source_of
from dml_vk.kernels.spirv.unrolling import unmarked
from dml_vk.kernels.spirv.widening import widened
from dml_vk.limits import Profile
from dml_vk.observe import builds, dispatches
from dml_vk.observe.first_use import first_use
from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Bound, Pipeline, Range, Runtime
from dml_vk.runtime.native_check import native_operations
from dml_vk.strides.order import Ints

MOST = 512  # pipelines
MOST_BYTES = 512 * 2**20  # that drivers hold for them, by the estimate below
# Bytes that a driver holds for each byte of a module. In llvmpipe they are 80 on average, and 55 to
# 120 by size (1,052 modules of 2 to 31 KiB, on both runtimes).
HELD_PER_BYTE = 100
SPARE = 8  # shrinking drops 1/8 of the most, so that not every new pipeline makes it necessary


class Key(NamedTuple):
    """The identity of a pipeline. `module` is the name of a kernel of ours, a recipe, or SPIR-V."""

    module: str | bytes | Recipe | Attached
    spec: Ints
    push_words: int
    bindings: int
    fused: bool = False


class Cached:
    """A pipeline and what it is bound to, with the time at which it was used last."""

    __slots__ = ("bound", "nbytes", "pipeline", "used")

    def __init__(self, pipeline: Pipeline, nbytes: int) -> None:
        self.pipeline = pipeline
        self.nbytes = nbytes  # estimated, in the driver
        self.bound: dict[tuple[Arena, ...], Bound] = {}
        self.used = 0


class Pipelines:
    """The pipelines of a device."""

    def __init__(
        self,
        runtime: Runtime,
        refusal: Callable[[], str | None],
        *,
        unrolls: bool = True,
        widens: bool = False,
    ) -> None:
        self.now = count().__next__  # a later number at each call: the clock of `Cached.used`
        self._runtime = runtime
        self._refusal = refusal  # why there is no memory to compile one, or None
        self._unrolls, self._widens = unrolls, widens
        self._native: dict[str, int] = {}  # by dtype, once a kernel asks
        self._cached: dict[Key, Cached] = {}
        self._nbytes = 0  # of all that are cached

    def __len__(self) -> int:
        return len(self._cached)

    def get(self, key: Key) -> Cached:
        cached = self._cached.get(key)
        if cached is None:
            cached = self._make(key)
            self._nbytes += cached.nbytes  # first: if Ctrl-C comes in between, it is too high
            self._cached[key] = cached
        cached.used = self.now()
        return cached

    def bind(
        self, cached: Cached, arenas: tuple[Arena, ...], ranges: Sequence[Range] = ()
    ) -> Bound:
        bound = None if ranges else cached.bound.get(arenas)
        if bound is None:
            blocks = [arena.block for arena in arenas]
            bound = self._runtime.bind(cached.pipeline, blocks, ranges)
            if not ranges:
                cached.bound[arenas] = bound
        return bound

    def _operations(self, checks: Iterable[str]) -> int:
        """The device's own operations that kernels may use: see runtime/native_check.py."""
        found = 0
        for kind in checks:
            if kind not in self._native:
                self._native[kind] = native_operations(self._runtime, kind)
            found |= self._native[kind]
        return found

    def _make(self, key: Key) -> Cached:
        # A driver that runs out of memory while it compiles ends the process.
        refusal = self._refusal()
        if refusal is not None:
            rule = f"no memory to compile a kernel: {refusal}"
            raise DeviceMemoryError("kernel", rule, kernels=len(self._cached))
        began = perf_counter()
        known = key.spec
        spec: Ints = ()
        is_saved = False
        if isinstance(key.module, bytes):
            name, spec, spirv = dispatches.USERS_KERNEL, key.spec, self._finished(key.module, key)
        else:  # the constants are folded into it
            name = key.module if isinstance(key.module, str) else FUSED
            spirv, known, is_saved = self._shipped(key.module, key)
        pipeline = self._runtime.pipeline(spirv, spec, key.push_words, key.bindings)
        seconds = perf_counter() - began
        dispatches.made(name, known, seconds)
        builds.made(seconds, is_saved=is_saved)
        first_use.made(seconds)
        return Cached(pipeline, HELD_PER_BYTE * len(spirv))

    def _shipped(self, module: str | Recipe | Attached, key: Key) -> tuple[bytes, Ints, bool]:
        """A kernel of ours, its constants, and whether it is from disk."""
        source = source_of(module, key.spec)
        native = self._operations(source.checks)

        def make() -> bytes:
            made = source.make(native)
            return self._finished(widened(made) if self._widens else made, key)

        ways = self._widens, self._unrolls, key.fused
        spirv, is_saved = saved(("kernel", module, key.spec, native, ways), source.modules, make)
        return spirv, (*key.spec, native) if source.checks else key.spec, is_saved

    def _finished(self, spirv: bytes, key: Key) -> bytes:
        if key.fused:
            spirv = fused(spirv)
        return spirv if self._unrolls else unmarked(spirv)

    def shrink(self) -> bool:
        """Drop the oldest if there are too many or they hold too much.

        Pending work keeps its own alive. The newest is kept, whatever it holds.
        """
        if len(self._cached) <= MOST and self._nbytes <= MOST_BYTES:
            return False
        most, nbytes = MOST - MOST // SPARE, MOST_BYTES - MOST_BYTES // SPARE
        by_age = sorted(self._cached.values(), key=attrgetter("used"), reverse=True)
        held = accumulate(one.nbytes for one in by_age)
        fits = takewhile(lambda one: one[1] <= nbytes, zip(by_age[:most], held))
        kept = {id(one) for one, _ in fits} or {id(by_age[0])}
        self._cached = {key: one for key, one in self._cached.items() if id(one) in kept}
        self._nbytes = sum([one.nbytes for one in self._cached.values()])
        return len(kept) < len(by_age)

    def forget(self, arena: Arena) -> None:
        """Drop what is bound to an arena."""
        for cached in self._cached.values():
            for arenas in [arenas for arenas in cached.bound if arena in arenas]:
                del cached.bound[arenas]

    def alive(self) -> Iterable[object]:
        """Return all objects of the runtime that are held here."""
        for cached in self._cached.values():
            yield cached.pipeline
            yield from cached.bound.values()


def arenas_of(accesses: Sequence[Access]) -> tuple[Arena, ...]:
    """The arenas that a kernel binds."""
    return tuple([access.arena for access in accesses])


def group_count(needed: int, profile: Profile) -> int:
    """How many workgroups share work that `needed` of them could do, one work item each."""
    return min(needed, profile.groups_wanted or profile.max_groups, profile.max_groups)
