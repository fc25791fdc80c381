"""Pipelines: kernels with their constants, bound to arenas, cached while in use."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, count, takewhile
from operator import attrgetter
from time import perf_counter
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.errors import DeviceMemoryError
from dml_vk.kernels.codegen import kernel_cache
from dml_vk.kernels.codegen.sources import source_of
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import Inlined, Recipe
from dml_vk.kernels.plan.fused import FUSED
from dml_vk.limits import Profile
from dml_vk.observe import builds, dispatches
from dml_vk.observe.first_use import first_use
from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.arithmetic import Arithmetic
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Bound, Dispatch, Pipeline, Range, Runtime, Ticket
from dml_vk.runtime.native_check import native_operations
from dml_vk.spirv.passes.fma import with_fma
from dml_vk.spirv.passes.unroll import unmarked
from dml_vk.spirv.passes.widen import widened

MOST = 512  # pipelines
MOST_BYTES = 512 * 2**20  # that drivers hold for them, by the estimate below
# Bytes that a driver holds for each byte of a module. In llvmpipe they are 80 on average, and 55 to
# 120 by size (1,052 modules of 2 to 31 KiB, on both runtimes).
HELD_PER_BYTE = 100
MOST_THREADS = 8  # that make pipelines: an NVIDIA driver makes 35 in a third of the time
SPARE = 8  # shrinking drops 1/8 of the most, so that not every new pipeline makes it necessary


class Key(NamedTuple):
    """The identity of a pipeline. `module` is the name of a kernel of ours, a recipe, or SPIR-V."""

    module: str | bytes | Recipe | Inlined
    spec: Ints
    push_words: int
    bindings: int
    fma: bool = False

    @staticmethod
    def of(plan: Plan, words: int, bindings: int) -> Key:
        """Of a plan, with so many words to push."""
        return Key(plan.recipe or plan.module, plan.spec, words, bindings, plan.fma)


class _Module(NamedTuple):
    """What a pipeline is made of, and how it is told of."""

    name: str
    spirv: bytes
    spec: Ints  # constants that are not folded into it
    known: Ints  # all constants
    is_saved: bool
    seconds: float  # that it took


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
        self.arithmetic: Arithmetic | None = None  # that is looked at for kernels of ours
        self._cached: dict[Key, Cached] = {}
        self._nbytes = 0  # of all that are cached
        self._compiling: deque[Ticket] = deque()  # submissions that have the driver compile

    def __len__(self) -> int:
        return len(self._cached)

    def get(self, key: Key) -> Cached:
        cached = self._cached.get(key)
        if cached is None:
            cached = self._keep(key, self._make(key))
        cached.used = self.now()
        return cached

    def _keep(self, key: Key, cached: Cached) -> Cached:
        self._nbytes += cached.nbytes  # first: if Ctrl-C comes in between, it is too high
        self._cached[key] = cached
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

    def compile(self, bound: Bound, push_words: int) -> None:
        """Have a driver compile what else it would when it first runs, while the host goes on.

        A dispatch of no workgroups does that, and nothing else.
        """
        runtime = self._runtime
        self.forget_compiled()
        ticket = runtime.record((Dispatch(bound, bytes(4 * push_words), (0, 1, 1)),))
        self._compiling.append(ticket)
        try:
            runtime.submit(ticket)
        except BaseException:
            if not runtime.is_submitted(ticket):
                self._compiling.pop()
            raise

    def forget_compiled(self) -> None:
        """Let go of the memory to which kernels were bound while they were compiled."""
        compiling, is_done = self._compiling, self._runtime.is_done
        while compiling and is_done(compiling[0]):
            compiling.popleft()

    def _operations(self, checks: Iterable[str]) -> int:
        """The device's own operations that kernels may use: see runtime/native_check.py."""
        allowed = 0
        for kind in checks:
            if kind not in self._native:
                self._native[kind] = native_operations(self._runtime, kind)
            allowed |= self._native[kind]
        return allowed

    def make_together(self, keys: Iterable[Key]) -> None:
        """Make those that are missing, by several threads where the runtime can."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._cached]
        if len(missing) < 2 or not self._runtime.makes_together:
            return
        self._check_memory()
        modules = [self._module(key) for key in missing]
        began = perf_counter()
        with ThreadPoolExecutor(MOST_THREADS, "dml_vk kernels") as pool:
            try:
                begun = [pool.submit(self._pipeline, *pair) for pair in zip(missing, modules)]
            except RuntimeError:  # The interpreter is ending, and starts no threads.
                return
        pipelines = [future.result() for future in begun]
        seconds = (perf_counter() - began) / len(missing)
        for key, module, pipeline in zip(missing, modules, pipelines):
            self._keep(key, self._told(module, pipeline, module.seconds + seconds))

    def _make(self, key: Key) -> Cached:
        self._check_memory()
        began = perf_counter()
        module = self._module(key)
        return self._told(module, self._pipeline(key, module), perf_counter() - began)

    def _check_memory(self) -> None:
        # A driver that runs out of memory while it compiles ends the process.
        refusal = self._refusal()
        if refusal is not None:
            rule = f"no memory to compile a kernel: {refusal}"
            raise DeviceMemoryError("kernel", rule, kernels=len(self._cached))

    def _module(self, key: Key) -> _Module:
        began = perf_counter()
        known, is_saved = key.spec, False
        spec: Ints = ()
        if isinstance(key.module, bytes):
            name, spec, spirv = dispatches.USERS_KERNEL, key.spec, self._finished(key.module, key)
        else:  # the constants are folded into it
            name = key.module if isinstance(key.module, str) else FUSED
            spirv, known, is_saved = self._shipped(key.module, key)
        return _Module(name, spirv, spec, known, is_saved, perf_counter() - began)

    def _pipeline(self, key: Key, module: _Module) -> Pipeline:
        return self._runtime.pipeline(module.spirv, module.spec, key.push_words, key.bindings)

    def _told(self, module: _Module, pipeline: Pipeline, seconds: float) -> Cached:
        """A pipeline, of whose making the logs are told."""
        dispatches.kernel_built(module.name, module.known, seconds)
        builds.kernel_built(seconds, is_saved=module.is_saved)
        first_use.kernel_built(seconds)
        return Cached(pipeline, HELD_PER_BYTE * len(module.spirv))

    def _shipped(self, module: str | Recipe | Inlined, key: Key) -> tuple[bytes, Ints, bool]:
        """A kernel of ours, its constants, and whether it is from disk."""
        source = source_of(module, key.spec)
        if self.arithmetic is not None:
            self.arithmetic.use(source.modules)
        native = self._operations(source.checks)

        def make() -> bytes:
            spirv = source.make(native, self._unrolls)
            return self._finished(widened(spirv) if self._widens else spirv, key)

        ways = self._widens, self._unrolls, key.fma
        spirv, is_saved = kernel_cache.get(
            ("kernel", module, key.spec, native, ways), source.modules, make
        )
        return spirv, (*key.spec, native) if source.checks else key.spec, is_saved

    def _finished(self, spirv: bytes, key: Key) -> bytes:
        if key.fma:
            spirv = with_fma(spirv)
        return spirv if self._unrolls else unmarked(spirv)

    def shrink(self) -> bool:
        """Drop the oldest if there are too many or they hold too much.

        Pending work keeps its own alive. The newest is kept, whatever it holds.
        """
        if len(self._cached) <= MOST and self._nbytes <= MOST_BYTES:
            return False
        most, nbytes = MOST - MOST // SPARE, MOST_BYTES - MOST_BYTES // SPARE
        by_age = sorted(self._cached.values(), key=attrgetter("used"), reverse=True)
        held = accumulate(cached.nbytes for cached in by_age)
        fits = takewhile(lambda pair: pair[1] <= nbytes, zip(by_age[:most], held))
        young = {id(cached) for cached, _ in fits} or {id(by_age[0])}
        self._cached = {key: cached for key, cached in self._cached.items() if id(cached) in young}
        self._nbytes = sum([cached.nbytes for cached in self._cached.values()])
        return len(young) < len(by_age)

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
        yield from self._compiling


def arenas_of(accesses: Sequence[Access]) -> tuple[Arena, ...]:
    """The arenas that a kernel binds."""
    return tuple([access.arena for access in accesses])


def group_count(needed: int, profile: Profile) -> int:
    """How many workgroups share work that `needed` of them could do, one work item each."""
    return min(needed, profile.groups_wanted or profile.max_groups, profile.max_groups)
