"""The queue of one device: it collects work, and submits it while Python goes on."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter

from dml_vk.arguments import Ints
from dml_vk.driver import vulkan
from dml_vk.kernels.plan.base import Plan
from dml_vk.limits import Profile
from dml_vk.observe import dispatches
from dml_vk.observe.callers import clear_last_traceback
from dml_vk.observe.first_use import first_use
from dml_vk.runtime import waited
from dml_vk.runtime.arenas import Arena, MemoryRange
from dml_vk.runtime.encode import MAX_SUBMISSION_NS, Dispatched, Encoder
from dml_vk.runtime.engine_copies import EngineCopies
from dml_vk.runtime.exports import Exports
from dml_vk.runtime.gate import Gate
from dml_vk.runtime.graph import Graph
from dml_vk.runtime.hazards import Access, Hazards, last_level, range_of
from dml_vk.runtime.interface import Copy, Prepared, Runtime, Ticket, Work
from dml_vk.runtime.pipelines import Pipelines
from dml_vk.runtime.rate_check import RateCheck
from dml_vk.runtime.recovery import prune
from dml_vk.runtime.repeats import Repeats
from dml_vk.runtime.schedule import Batch, Repeated, Submission, commands, split
from dml_vk.runtime.timing import time_of

MAX_OPERATIONS = 4096  # in a batch: each takes about a kilobyte in the driver
MAX_BATCH_NS = 100e6  # a batch this long is submitted
LOOK_OPERATIONS = 32  # in a batch: after so many more, it is submitted if the device is idle
TRIM_OPERATIONS = 4096  # after so many, old hazards are looked through
MOST_SEGMENTS = 4096  # of memory with hazards of its own, which make look-ups slow
MAX_FLYING = 3  # submissions: each takes up to MAX_SUBMISSION_NS, for which an interrupt waits


class Queue:
    """The work of one device: a batch that grows, and those sent before that may still run.

    All access is guarded by the gate.
    """

    def __init__(
        self, runtime: Runtime, profile: Profile, refusal: Callable[[], str | None]
    ) -> None:
        self.gate = Gate()
        # Held in a `with` by any access to this device's state.
        self.enter = self.gate.enter
        self._runtime = runtime
        self._hazards: dict[Arena, Hazards] = {}
        self._batch = Batch(Graph(self._hazards))
        self._sent: deque[Batch] = deque()
        self._flying: deque[Ticket] = deque(maxlen=MAX_FLYING)  # the last submitted
        self._waited: deque[Ticket] = deque()  # by the caller, in `run`
        self._copies = EngineCopies(runtime)
        self._next_look = LOOK_OPERATIONS
        self._next_trim = TRIM_OPERATIONS
        # The validation layer takes what a dispatch binds for what it accesses, and would report
        # independent work on one arena as a hazard. Ranges that are bound end with any word, and
        # elements that are wider may not extend beyond them.
        self._is_validated = vulkan.is_validating()
        widens = profile.widens and not self._is_validated
        self.pipelines = Pipelines(runtime, refusal, unrolls=profile.unrolls, widens=widens)
        self.encoder = Encoder(self.pipelines, profile, binds_ranges=self._is_validated)
        self.programs: weakref.WeakSet[Repeated] = weakref.WeakSet()
        self._repeats = Repeats(runtime)
        self._watch = dispatches.Watch()
        self._is_logged = dispatches.explains()  # this batch

    def launch(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints = (),
        arguments: Access | None = None,
    ) -> None:
        """Add a plan after all that it depends on.

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
            self.send()  # Sending was interrupted.
        if arguments is None and not self._is_logged:
            known = self.encoder.again(plan, accesses, params)
            if known is not None:
                if self._is_validated:
                    self._append((known,), accesses)
                else:  # as in `_append`, but without calls that each operation would pay for
                    self._batch.graph.add_one(known, accesses)
                    self._look_at(accesses)
                return
        touched, is_alone = accesses, False
        if arguments is not None:
            touched, is_alone = (*accesses, arguments), self._is_validated
        elif self._is_validated:
            touched = accesses = [access.widened() for access in accesses]
        encoded: list[Work] = []
        for offsets in plan.launches:
            encoded += self.encoder.encode(
                plan, accesses, offsets, params, arguments, self._is_logged
            )
            if len(encoded) >= MAX_OPERATIONS:
                self._append(encoded, touched, is_alone)
                encoded = []
        self._append(encoded, touched, is_alone)
        self._shrink()

    def prepare(
        self, works: Iterable[tuple[Plan | Dispatched, Sequence[Access], Ints]]
    ) -> list[Submission]:
        """Encode launches, each with its params, as submissions that `replay` takes.

        The caller holds the gate.
        """
        graph, is_logged = Graph({}), self._is_logged
        works = list(works)
        self.encoder.make_pipelines(works)
        for work, accesses, params in works:
            if isinstance(work, Dispatched):
                encoded: Sequence[Work] = [self.encoder.dispatch(work, accesses, is_logged)]
                self._place(graph, encoded, accesses, self._is_validated)
                continue
            if self._is_validated:
                accesses = [access.widened() for access in accesses]
            known = None if is_logged else self.encoder.again(work, accesses, params)
            encoded = [known] if known is not None else []
            for offsets in () if encoded else work.launches:
                encoded += self.encoder.encode(work, accesses, offsets, params, None, is_logged)
            self._place(graph, encoded, accesses)
        self._shrink()
        return split(graph, MAX_SUBMISSION_NS)

    def recorded(self, submissions: Iterable[Submission]) -> list[Prepared] | None:
        """Record submissions for many replays, unless each one is to be logged."""
        if self._is_logged:
            return None
        return [self._runtime.prepare(commands(submission)) for submission in submissions]

    def measure(self, submissions: Iterable[Submission]) -> float:
        """Run prepared work, and return how many microseconds it takes, by the device if it can.

        The caller holds the gate.
        """
        self.send()
        self._copies.drain()
        times = [time_of(self._runtime, commands(submission)) for submission in submissions]
        return sum([time.microseconds for time in times])

    def run(self, copies: Iterable[Copy], access: Access) -> None:
        """Run copies between the host's memory and this, and wait. The caller holds the gate.

        They run after all that is pending, or where they go apart, after what they depend on.
        """
        if self.copies_apart:
            self._precede_copies((access,))
            assert self._copies.engine is not None
            waited.run(self._runtime, copies, self._waited, self._copies.engine.record)
        else:
            self.send()
            self._copies.precede((access,))
            waited.run(self._runtime, copies, self._waited, self._runtime.record)

    @property
    def copies_apart(self) -> bool:
        """Whether large copies go by the copy engine. They do not if they are to be logged."""
        return self._copies.engine is not None and not self._is_logged

    def copy(self, copy: Copy, accesses: Sequence[Access]) -> None:
        """Start a copy beside the batches, after all that it depends on. Hold the gate."""
        self._precede_copies(accesses)
        self._copies.submit(copy, accesses)

    def _precede_copies(self, accesses: Sequence[Access]) -> None:
        """Let the next copies wait for the work that these accesses depend on."""
        last = max([last_level(self._hazards, each.range, each.writes) for each in accesses])
        if last >= self._batch.graph.first:
            self._send_pending()
        self._retire()
        if self._sent and last >= self._sent[0].graph.first:
            self._copies.follow(last, self._sent[-1].graph.end - 1)

    def replay(
        self,
        submissions: list[Submission],
        recorded: list[Prepared] | None,
        accesses: Sequence[Access],
    ) -> None:
        """Submit prepared work, after all that is pending. The caller holds the gate.

        `accesses` are those of all work to memory that anything else may access.
        """
        if self._batch.graph.due or self._batch.submissions is not None:
            self.send()
        batch = self._batch
        batch.graph.add((), accesses)
        batch.recorded, batch.submissions = recorded, submissions
        self._send(batch)
        self._retire()
        if Exports.alive and any(access.arena.exports.has(access.start) for access in accesses):
            self.flush()

    def dispatch(self, work: Dispatched, accesses: Sequence[Access]) -> None:
        """Add one dispatch of any shader."""
        with self.enter():
            if self._batch.submissions is not None:
                self.send()
            encoded = (self.encoder.dispatch(work, accesses, self._is_logged),)
            self._append(encoded, accesses, self._is_validated)
            self._shrink()

    def rate_check(self) -> RateCheck:
        """What measures the device, by kernels of this queue's."""
        return RateCheck(self._runtime, self.pipelines, self.encoder.profile)

    def send(self) -> None:
        """Submit all pending work. The caller must hold the gate.

        After an exception, Ctrl-C above all, the next call submits what has not been submitted yet,
        as far as its results are still in use.
        """
        self._send_pending()
        self._retire()

    def _send_pending(self) -> None:
        """`send` for a caller that waits next, and need not know what is done already."""
        batch = self._batch
        if batch.submissions is not None:
            clear_last_traceback()
            if batch.tickets and not self._runtime.is_submitted(batch.tickets[-1]):
                batch.tickets.pop()
            left = batch.submissions[len(batch.tickets) :]
            pruned = prune(left, self._hazards, batch.held)
            batch.recorded = None
            batch.submissions = [*batch.submissions[: len(batch.tickets)], *pruned]
        self._send(batch)

    def _send(self, batch: Batch) -> None:
        try:
            self._submit(batch)
        except BaseException:
            if batch.submissions is not None:  # else the batch still grows and is needed as a whole
                batch.held = batch.held or {
                    arena: [*arena.live.values()] for arena in self._hazards
                }
            raise
        if batch.tickets:
            self._sent.append(batch)
        self._batch = Batch(Graph(self._hazards, batch.graph.end))
        self._next_trim -= len(batch.graph.due)
        if self._next_trim < 0:
            self._trim_hazards()
        self._next_look = LOOK_OPERATIONS
        self.encoder.is_fresh = False
        self._is_logged = dispatches.explains()

    def flush(self) -> None:
        """Submit all pending work and wait for all that was submitted. Hold the gate."""
        self._send_pending()
        self.drain()

    def drain(self) -> None:
        """Wait for all that was submitted. The caller must hold the gate."""
        self._wait(len(self._sent))
        self._copies.drain()

    def settle(self, allocation: MemoryRange, write: bool, part: Access | None = None) -> bool:
        """Wait until the host may read, or write, this memory, or only this part of it.

        Return whether that took waiting.
        """
        with self.enter():
            has_waited = False
            if self._copies.flying:
                has_waited = self._copies.settle(range_of(allocation, part), write)
            last = self._last_level(allocation, write, part)
            if last >= self._batch.graph.first:
                self._send_pending()
            for count in range(len(self._sent), 0, -1):
                if last >= self._sent[count - 1].graph.first:
                    self._wait(count)
                    return True
            return has_waited

    def is_free(self, allocation: MemoryRange) -> bool:
        """Whether the host may write this range without waiting."""
        with self.enter():
            self._retire()
            pending = self._sent[0] if self._sent else self._batch
            is_unused = self._last_level(allocation, True) < pending.graph.first
            if is_unused and self._copies.flying:
                return self._copies.is_free(range_of(allocation))
            return is_unused

    @property
    def is_logged(self) -> bool:
        """Whether each command of the batch that grows will be logged."""
        return self._is_logged

    @property
    def is_idle(self) -> bool:
        """Whether all work is known to be done."""
        return not (self._batch.graph.due or self._sent or self._copies.flying)

    def forget(self, arena: Arena) -> None:
        """Drop what is bound to an arena. The caller must hold the gate."""
        self.pipelines.forget(arena)
        for program in list(self.programs):
            program.forget(arena)
        self.encoder.forget()
        self._repeats.forget()
        hazards = self._hazards.pop(arena, None)
        if hazards is not None:
            hazards.clear()
        self._copies.forget(arena)
        arena.accesses.clear()  # They refer to it.

    def runtime_objects(self) -> list[object]:
        """Return all live objects of the runtime."""
        tickets = [ticket for batch in (*self._sent, self._batch) for ticket in batch.tickets]
        commands = [due.command for due in self._batch.graph.due]
        recorded = [prepared for program in self.programs for prepared in program.alive()]
        tickets += [*self._flying, *self._waited, *[ticket for _, ticket in self._copies.flying]]
        recorded += self._repeats.alive()
        return [*self.pipelines.alive(), *commands, *tickets, *recorded]

    def _shrink(self) -> None:
        """Drop the oldest pipelines if there are too many."""
        if self.pipelines.shrink():
            self.encoder.forget()
            self._repeats.forget()

    def _submit(self, batch: Batch) -> None:
        """Submit the part of the batch that was not submitted yet."""
        batch.is_fresh |= self.encoder.is_fresh
        if batch.submissions is None:
            batch.submissions = split(batch.graph, MAX_SUBMISSION_NS)
        submissions, tickets, runtime = batch.submissions, batch.tickets, self._runtime
        observer = dispatches.observer(runtime, self._watch, submissions[len(tickets) :])
        for number in range(len(tickets), len(submissions)):
            if len(self._flying) == MAX_FLYING:
                runtime.wait(self._flying[0])
            if self._copies.flying:
                self._copies.precede([a for due in submissions[number] for a in due.accesses])
            observer.begins()
            if batch.recorded is not None:
                ticket = runtime.repeat(batch.recorded[number])
            elif self._is_logged:
                ticket = runtime.record(commands(submissions[number]), True)
            else:
                ticket = self._repeats.ticket(commands(submissions[number]))
            tickets.append(ticket)
            runtime.submit(ticket)
            self._flying.append(ticket)
            observer.submitted(ticket)
        observer.finished()

    def _last_level(self, allocation: MemoryRange, write: bool, part: Access | None = None) -> int:
        """The level of the last work for which the host must wait to read, or write, this range."""
        hazards = self._hazards.get(allocation.arena)
        if hazards is None:  # as in `last_level`, without calls that each transfer would pay for
            return -1
        if part is not None:
            return hazards.after(part.low, part.high, write) - 1
        low = allocation.offset
        return hazards.after(low, low + max(1, allocation.nbytes), write) - 1

    def _trim_hazards(self) -> None:
        """Forget what was touched where, if that is in many pieces. There must be no new work."""
        self._next_trim = TRIM_OPERATIONS
        if sum([hazards.count for hazards in self._hazards.values()]) > MOST_SEGMENTS:
            self.drain()
            for hazards in self._hazards.values():
                hazards.clear()
            self._hazards.clear()

    def _retire(self) -> None:
        """Forget the batches that are done."""
        while self._sent and self._runtime.is_done(self._sent[0].tickets[-1]):
            self._sent.popleft()

    def _wait(self, count: int) -> None:
        """Wait for the first `count` of the batches sent."""
        for _ in range(count):
            batch = self._sent[0]
            if batch.is_fresh and batch.submissions is not None:
                for submission, ticket in zip(batch.submissions, batch.tickets):
                    began = perf_counter()
                    self._runtime.wait(ticket)
                    estimate = sum([due.command.ns for due in submission]) / 1e9
                    first_use.ran(perf_counter() - began, estimate)
            else:
                for ticket in batch.tickets:
                    self._runtime.wait(ticket)
            self._sent.popleft()
        if not self._sent:
            self._flying.clear()
            self.pipelines.forget_compiled()

    def _append(
        self, encoded: Sequence[Work], accesses: Sequence[Access], is_alone: bool = False
    ) -> None:
        self._place(self._batch.graph, encoded, accesses, is_alone)
        self._look_at(accesses)

    def _look_at(self, accesses: Sequence[Access]) -> None:
        """See after each operation whether the batch is to be submitted."""
        graph = self._batch.graph
        if Exports.alive and any(access.arena.exports.has(access.start) for access in accesses):
            self.flush()  # Other libraries may read the memory at any time.
            return
        count = len(graph.due)
        if count > MAX_OPERATIONS or graph.ns > MAX_BATCH_NS:
            self.send()
        elif count >= self._next_look:
            self._next_look = count + LOOK_OPERATIONS
            self._retire()
            if not self._sent:
                self.send()  # The device has nothing to do.

    def _place(
        self,
        graph: Graph,
        encoded: Sequence[Work],
        accesses: Sequence[Access],
        is_alone: bool = False,
    ) -> None:
        if self._is_validated:
            for work in encoded:  # All parts of a launch bind what it writes to.
                graph.add((work,), accesses, is_alone)
        else:
            graph.add(encoded, accesses)
