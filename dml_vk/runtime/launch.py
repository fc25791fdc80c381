"""Plans and the ranges they touch, to levels, to sequences: the one place that orders work.

Kompute has no barrier between dependent dispatches, so work that depends on other work goes to a
later level, and each level runs, and ends, before the next. Nothing runs before a flush.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

from dml_vk import vulkan
from dml_vk.callers import clear_last_traceback
from dml_vk.errors import DeviceError, DmlVkError, explain
from dml_vk.kernels.plan import BASES, END, FIRST, SIZES, Plan
from dml_vk.limits import Limits
from dml_vk.runtime import journal, pipelines
from dml_vk.runtime.arenas import Allocation, Arena, Note, ranges
from dml_vk.runtime.gate import Gate
from dml_vk.runtime.hazards import Hazards
from dml_vk.runtime.kompute import Pipeline, Recording, Runtime, Words
from dml_vk.runtime.pipelines import Groups, Key, Made, Pipelines, group_count
from dml_vk.strides.order import Ints

MAX_OPERATIONS = 4096  # in a batch: each holds about a kilobyte in the driver
MAX_BATCH_NS = 100e6  # then it is worth running what has come together
MAX_SEQUENCE_NS = 40e6  # signals wait for a sequence to end, and estimates may be off by two
MIN_NS = 20e3  # what any dispatch takes, in a software driver


class Operand(NamedTuple):
    """What one binding of a kernel touches of an allocation, in bytes from its start."""

    allocation: Allocation
    base: int  # where element 0 lies; not always the lowest address
    low: int
    high: int
    writes: bool


# What runs, and what it is told; what it takes, in ns; and what the journal says of it, if it does.
Work = tuple[Pipeline, Words, float, journal.Asked | None]
Ranges = list[tuple[Hazards, int, int, bool]]  # of bytes in an arena, and whether they are written
Due = tuple[Work, int, Ranges]  # whose turn has come, its level, and what its launch touches


class Ready(NamedTuple):
    """A plan of one short dispatch over some arenas, for when it comes again."""

    made: Made
    tail: bytes  # the words after the bases
    ns: float


class Batch:
    """Work that waits: levels while it grows, recordings once it runs."""

    def __init__(self) -> None:
        self.levels: list[list[tuple[list[Work], Ranges]]] = []  # of launches
        self.hazards: dict[Arena, Hazards] = {}
        self.operations = 0
        self.ns = 0.0
        self.recordings: list[list[Due]] | None = None  # closed when set
        self.done: list[Recording] = []  # one for each of `recordings` that has run
        self.held: dict[Arena, set[Note]] = {}  # what was, when an interrupt came

    def close(self, most_ns: float, slow: set[int]) -> list[list[Due]]:
        """Cut levels where they would keep signals waiting, into recordings of at most so long.

        Pipelines of which the ids are `slow` take long when they run first.
        """
        if self.recordings is None:
            recordings: list[list[Due]] = []
            for number, level in enumerate(self.levels):
                ns = math.inf
                for works, touched in level:
                    for work in works:
                        if ns + work[2] > most_ns or id(work[0]) in slow:
                            slow.discard(id(work[0]))
                            recordings.append([])
                            ns = 0.0
                        recordings[-1].append((work, number, touched))
                        ns += work[2]
            self.recordings = recordings
        return self.recordings

    def drop_unseen(self) -> None:
        """Of what has not run, keep what writes to memory in use, or what such work reads.

        What was made later may have the place of what is gone, but has no use for what is written.
        """
        needed: dict[Hazards, Hazards] = {}
        for arena, hazards in self.hazards.items():
            needed[hazards] = Hazards()
            for low, high in ranges(self.held.get(arena, arena.live)):
                needed[hazards].mark(low, high, True, 0)
        recordings, kept = self.recordings or [], []
        for works in reversed(recordings[len(self.done) :]):
            left = []
            for due in reversed(works):
                if any(
                    writes and needed[hazards].after(low, high, False)
                    for hazards, low, high, writes in due[2]
                ):
                    for hazards, low, high, _ in due[2]:
                        needed[hazards].mark(low, high, True, 0)
                    left.append(due)
            if left:
                kept.append(left[::-1])
        self.recordings = recordings[: len(self.done)] + kept[::-1]


class Queue:
    """The pending batch of one device. Everything that touches it comes through its gate."""

    def __init__(self, runtime: Runtime, limits: Limits, refusal: Callable[[], str | None]) -> None:
        self.gate = Gate()
        self.refuses = ""  # why nothing may run any more
        self._runtime = runtime
        self.limits = limits
        # The validation layer sees which buffers a dispatch binds, not which bytes it touches, and
        # takes independent work on one arena for a hazard: there each runs on its own.
        self._most_ns = -1.0 if vulkan.is_validating() else MAX_SEQUENCE_NS
        self._batch = Batch()
        self._pipelines = Pipelines(runtime, refusal)
        self._ready: dict[Any, Ready] = {}  # by plan and arenas
        self._watch = journal.Watch()
        self._explains = journal.explains()  # this batch
        # Pipelines that have not run yet, by id, where the driver compiles them when they do first.
        self._slow: set[int] = set()

    def launch(
        self,
        plan: Plan,
        operands: Sequence[Operand],
        told: Ints = (),
        arguments: Operand | None = None,
    ) -> None:
        """Put a plan behind all that it depends on. It runs at the next flush.

        `told` are the words that follow the plan's own in the push block, `arguments` is where the
        plan's lie, if it has any.
        """
        if not plan.units:
            return
        with self.enter():
            self._pipelines.launches += 1
            ready = self._ready.get((plan, *[operand.allocation.arena for operand in operands]))
            if ready is not None and arguments is None and not self._explains:
                self._append([self._again(plan, ready, operands, told)], operands)
                return
            touched = operands if arguments is None else (*operands, arguments)
            works: list[Work] = []
            for offsets in plan.launches:
                works += self._dispatches(plan, operands, offsets, told, arguments)
                if len(works) >= MAX_OPERATIONS:
                    self._append(works, touched)
                    works = []
            self._append(works, touched)

    def dispatch(
        self,
        spirv: bytes,
        spec: Ints,
        push: Words,
        groups: Groups,
        operands: Sequence[Operand],
    ) -> None:
        """One dispatch of any shader, bases and all in its push words already."""
        with self.enter():
            self._pipelines.launches += 1
            made = self._made(Key(spirv, spec, len(push), groups, _arenas(operands)))
            asked = None
            if self._explains:
                asked = journal.asked_of_user(math.prod(groups))
            self._append([(made.pipeline, push, MIN_NS, asked)], operands)

    def enter(self) -> AbstractContextManager[object]:
        """The gate, to be used in a `with` by whoever touches this device's books."""
        self.check_usable()
        return self.gate.enter()

    def check_usable(self) -> None:
        if self.refuses:
            raise DeviceError(self.refuses)

    def flush(self) -> None:
        """Do all pending work and wait for it. The caller is inside the gate.

        An exception in between, Ctrl-C above all, leaves what has not run yet to the next flush,
        which does as much of it as somebody still has a use for.
        """
        if self._batch.recordings is not None:
            clear_last_traceback()
            self._batch.drop_unseen()
        try:
            self._run()
        except BaseException:
            batch = self._batch
            batch.held = batch.held or {arena: {*arena.live} for arena in batch.hazards}
            raise
        self._batch = Batch()
        self._slow.clear()
        self._explains = journal.explains()
        if self._pipelines.shrink() or len(self._ready) > MAX_OPERATIONS:
            self._ready.clear()

    def _run(self) -> None:
        """What has not run of the batch."""
        recordings = self._batch.close(self._most_ns, self._slow)
        run, done = self._runtime.run, self._batch.done
        told = None
        if recordings and journal.watches():
            told = journal.Flush(self._runtime, self._watch, self._batch)
        while len(done) < len(recordings):
            works = recordings[len(done)]
            recorded = self._runtime.record([work[:2] for work, _, _ in works], self._explains)
            if told is not None:
                told.runs()
            # One step in C: it has run if and only if it is in `done`, whatever signals say.
            done.extend(map(run, (recorded,)))
            if told is not None:
                told.ran(recorded)
        if told is not None:
            told.end()

    def touches(self, allocation: Allocation, write: bool) -> bool:
        """Pending work writes this range, or, before the host may write it, reads it."""
        with self.enter():
            pending = self._batch.hazards.get(allocation.arena)
            low, high = allocation.offset, allocation.offset + max(1, allocation.nbytes)
            return pending is not None and pending.after(low, high, write) > 0

    def forget(self, arena: Arena) -> None:
        """Drop what is bound to an arena on which nothing is pending. Inside the gate."""
        self._pipelines.forget(arena)
        self._ready.clear()

    def kp_objects(self) -> list[Any]:
        """All of kp's objects that are alive here."""
        launched = [works for level in self._batch.levels for works, _ in level]
        pending = [work[0] for works in launched for work in works]
        return [*self._pipelines.alive(), *pending, *self._batch.done]

    def _append(self, works: list[Work], operands: Sequence[Operand]) -> None:
        if self._batch.recordings is not None:
            self.flush()  # An earlier flush was interrupted.
        batch = self._batch
        level, touched = _level(batch, operands)
        # Should an exception come in between, marks without work only make later work wait.
        while len(batch.levels) <= level:
            batch.levels.append([])
        batch.levels[level].append((works, touched))
        batch.operations += len(works)
        for work in works:
            batch.ns += work[2]
        full = batch.operations > MAX_OPERATIONS or batch.ns > MAX_BATCH_NS
        for operand in operands:
            if operand.allocation.lent:
                full = True  # What others look at cannot wait until they do.
        if full or len(self._pipelines) > pipelines.MOST:
            self.flush()

    def _made(self, key: Key) -> Made:
        count = len(self._pipelines)
        made = self._pipelines.get(key)
        if len(self._pipelines) > count and self.limits.wants_few_groups:  # a software driver's
            self._slow.add(id(made.pipeline))
        return made

    def _again(self, plan: Plan, ready: Ready, operands: Sequence[Operand], told: Ints) -> Work:
        """What `_dispatches` gives, for a plan that came before."""
        ready.made.used = self._pipelines.launches
        words = [0, plan.units]
        for (allocation, base, _, _, _), unit, offset in zip(
            operands, plan.base_bytes, plan.launches[0]
        ):
            words.append((allocation.offset + base) // unit + offset & 0xFFFFFFFF)
        head = struct.pack(f"<{len(words)}I", *words)
        push = np.frombuffer(head + ready.tail + struct.pack(f"<{len(told)}I", *told), np.uint32)
        return ready.made.pipeline, push, ready.ns, None

    def _dispatches(
        self,
        plan: Plan,
        operands: Sequence[Operand],
        offsets: Ints,
        told: Ints,
        arguments: Operand | None,
    ) -> list[Work]:
        """One launch, in as many dispatches as keep each of them short."""
        push = np.empty(len(plan.push) + len(told), np.uint32)
        push[: len(plan.push)] = _words(plan.push)
        push[len(plan.push) :] = told
        bases = zip(operands, plan.base_bytes, offsets)
        for at, (operand, unit, offset) in enumerate(bases, BASES):
            base = (operand.allocation.offset + operand.base) // unit + offset
            push[at] = base & 0xFFFFFFFF
        if arguments is not None:
            push[BASES + len(operands) + SIZES] = arguments.allocation.offset // 4
        arenas = _arenas(operands)
        unit_ns = plan.unit_ns / self.limits.pace
        most = group_count(self.limits.max_groups, self.limits)
        step = min(
            max(1, int(MAX_SEQUENCE_NS / unit_ns)),
            plan.most_units(self.limits.max_rounds, most),
        )
        if not step:
            must = f"{plan.module} must take fewer rounds of its loops: please report it"
            raise DmlVkError(explain("launch", must, rounds=plan.unit_rounds))
        works = []
        for first in range(0, plan.units, step):
            end = min(plan.units, first + step)
            own = push if step >= plan.units else push.copy()
            own[FIRST], own[END] = first, end
            groups = group_count(-(-(end - first) // plan.spec[0]), self.limits)
            key = Key(plan.module, plan.spec, len(push), (groups, 1, 1), arenas)
            made, ns = self._made(key), MIN_NS + (end - first) * unit_ns
            asked = journal.asked(plan, end - first, groups) if self._explains else None
            works.append((made.pipeline, own, ns, asked))
        if len(works) == len(plan.launches) == 1 and arguments is None:
            tail = _words(plan.push)[BASES + len(plan.base_bytes) :].tobytes()
            came = (plan, *arenas)
            self._ready[came] = Ready(made, tail, ns)
        return works


@functools.lru_cache(maxsize=1024)
def _words(push: Ints) -> Words:
    return np.array(push, np.uint32)


def _arenas(operands: Sequence[Operand]) -> tuple[Arena, ...]:
    return tuple([operand.allocation.arena for operand in operands])


def _level(batch: Batch, operands: Sequence[Operand]) -> tuple[int, Ranges]:
    """The first level at which all these may be touched so, marked as taken; and what they are."""
    level = 0
    ranges: Ranges = []
    before: Operand | None = None
    for operand in operands:
        if operand is before:  # Where a kernel has more bindings than there are operands.
            continue
        before = operand
        allocation, _, low, high, writes = operand
        pending = batch.hazards.get(allocation.arena)
        if pending is None:
            pending = batch.hazards[allocation.arena] = Hazards()
        low, high = allocation.offset + low, allocation.offset + high
        ranges.append((pending, low, high, writes))
        level = max(level, pending.after(low, high, writes))
    for pending, low, high, writes in ranges:
        pending.mark(low, high, writes, level)
    return level, ranges
