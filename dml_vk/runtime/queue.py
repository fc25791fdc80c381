"""The queue of one device: it collects pending plans and runs them at a flush."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from dml_vk.driver import vulkan
from dml_vk.errors import DeviceError
from dml_vk.kernels.plan.base import Plan
from dml_vk.limits import Profile
from dml_vk.observe import dispatches
from dml_vk.observe.callers import clear_last_traceback
from dml_vk.runtime import pipelines
from dml_vk.runtime.arenas import Allocation, Arena, Note
from dml_vk.runtime.encode import MAX_SUBMISSION_NS, MIN_NS, Encoder
from dml_vk.runtime.gate import Gate
from dml_vk.runtime.graph import Graph
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Dispatch, Groups, Runtime, Ticket, Words
from dml_vk.runtime.pipelines import Key, Pipelines, arenas_of
from dml_vk.runtime.recovery import prune
from dml_vk.runtime.schedule import Submission, split
from dml_vk.strides.order import Ints

MAX_OPERATIONS = 4096  # in a batch: each takes about a kilobyte in the driver
MAX_BATCH_NS = 100e6  # a batch this long is run without waiting for a flush


class Batch:
    """Pending work: a graph while it grows, submissions once it runs."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.submissions: list[Submission] | None = None  # None until the first flush
        self.done: list[Ticket] = []  # one for each of `submissions` that has run
        self.held: dict[Arena, set[Note]] = {}  # what was in use when an interrupt came


class Queue:
    """The pending batch of one device. All access to it is guarded by the gate."""

    def __init__(
        self, runtime: Runtime, profile: Profile, refusal: Callable[[], str | None]
    ) -> None:
        self.gate = Gate()
        self.refuses: Callable[[], DeviceError] | None = None  # makes the error if unusable
        self._runtime = runtime
        # The validation layer sees which buffers a dispatch binds, not which bytes it accesses, and
        # reports independent work on one arena as a hazard: then each dispatch is submitted alone.
        self._most_ns = -1.0 if vulkan.is_validating() else MAX_SUBMISSION_NS
        self._batch = Batch()
        self._pipelines = Pipelines(runtime, refusal)
        self.encoder = Encoder(self._pipelines, profile)
        self._watch = dispatches.Watch()
        self._is_logged = dispatches.explains()  # this batch

    def launch(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints = (),
        arguments: Access | None = None,
    ) -> None:
        """Add a plan after all that it depends on. It runs at the next flush.

        `params` and `arguments` are those of `Encoder.encode`.
        """
        if plan.units:
            with self.enter():
                self.add(plan, accesses, params, arguments)

    def add(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints,
        arguments: Access | None = None,
    ) -> None:
        """`launch` for a caller that holds the gate already."""
        if self._batch.submissions is not None:
            self.flush()  # An earlier flush was interrupted.
        self._pipelines.launches += 1
        if arguments is None and not self._is_logged:
            known = self.encoder.again(plan, tuple(accesses), params)
            if known is not None:
                self._append((known,), accesses)
                return
        touched = accesses if arguments is None else (*accesses, arguments)
        made: list[Dispatch] = []
        for offsets in plan.launches:
            made += self.encoder.encode(plan, accesses, offsets, params, arguments, self._is_logged)
            if len(made) >= MAX_OPERATIONS:
                self._append(made, touched)
                made = []
        self._append(made, touched)

    def dispatch(
        self, spirv: bytes, spec: Ints, push: Words, groups: Groups, accesses: Sequence[Access]
    ) -> None:
        """Add one dispatch of any shader; `push` has all words, including bases."""
        with self.enter():
            if self._batch.submissions is not None:
                self.flush()
            self._pipelines.launches += 1
            key = Key(spirv, spec, len(push), groups, arenas_of(accesses))
            bound = self.encoder.pipeline(key).bound
            origin = dispatches.asked_of_user(math.prod(groups)) if self._is_logged else None
            self._append((Dispatch(bound, push, MIN_NS, origin),), accesses)

    def enter(self) -> AbstractContextManager[object]:
        """Return the gate, to be held in a `with` by any access to this device's state."""
        self.check_usable()
        return self.gate.enter()

    def check_usable(self) -> None:
        if self.refuses:
            raise self.refuses()

    def flush(self) -> None:
        """Run all pending work and wait for it. The caller must hold the gate.

        After an exception, Ctrl-C above all, the next flush does the work that has not run yet,
        as far as its results are still in use.
        """
        batch = self._batch
        if batch.submissions is not None:
            clear_last_traceback()
            left = batch.submissions[len(batch.done) :]
            batch.submissions[len(batch.done) :] = prune(left, batch.graph.hazards, batch.held)
        try:
            self._run()
        except BaseException:
            if batch.submissions is not None:  # else the batch still grows and is needed as a whole
                batch.held = batch.held or {arena: {*arena.live} for arena in batch.graph.hazards}
            raise
        self._batch = Batch()
        self.encoder.fresh.clear()
        self._is_logged = dispatches.explains()
        if self._pipelines.shrink():
            self.encoder.forget()
        self.encoder.forget_many()

    def touches(self, allocation: Allocation, write: bool) -> bool:
        """Whether the host must wait for pending work before it reads, or writes, this range."""
        with self.enter():
            return self._batch.graph.touches(allocation, write)

    def forget(self, arena: Arena) -> None:
        """Drop the pipelines of an arena without pending work. The caller must hold the gate."""
        self._pipelines.forget(arena)
        self.encoder.forget()

    def runtime_objects(self) -> list[Any]:
        """Return all live objects of the runtime."""
        pending = [dispatch.bound for dispatch in self._batch.graph.dispatches()]
        return [*self._pipelines.alive(), *pending, *self._batch.done]

    def _run(self) -> None:
        """Run the part of the batch that has not run yet."""
        batch = self._batch
        if batch.submissions is None:
            batch.submissions = split(batch.graph.levels, self._most_ns, self.encoder.fresh)
        submissions, wait, done = batch.submissions, self._runtime.wait, batch.done
        observer = dispatches.observer(self._runtime, self._watch, submissions[len(done) :])
        while len(done) < len(submissions):
            dispatched = [due.dispatch for due in submissions[len(done)]]
            observer.begins()
            ticket = self._runtime.submit(dispatched, self._is_logged)
            # One step in C, so that a ticket is in `done` if and only if it has run.
            done.extend(map(wait, (ticket,)))
            observer.ended(ticket)
        observer.finished()

    def _append(self, made: Sequence[Dispatch], accesses: Sequence[Access]) -> None:
        graph = self._batch.graph
        graph.add(made, accesses)
        full = graph.count > MAX_OPERATIONS or graph.ns > MAX_BATCH_NS
        for access in accesses:
            if access.arena.lent and access.arena.is_lent(access.low, access.high):
                full = True  # Other libraries may read the memory at any time.
        if full or len(self._pipelines) > pipelines.MOST:
            self.flush()
