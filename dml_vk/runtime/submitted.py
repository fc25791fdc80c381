"""What was submitted to a device: batches in the order of their levels, which may still run."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter

from dml_vk.observe import dispatches
from dml_vk.observe.first_use import first_use
from dml_vk.runtime.engine_copies import EngineCopies
from dml_vk.runtime.interface import Runtime, Ticket
from dml_vk.runtime.repeats import Repeats
from dml_vk.runtime.schedule import Batch, commands

MAX_FLYING = 3  # submissions, each of up to MAX_SUBMISSION_NS, for which an interrupt waits


class Submitted:
    """The batches of one device that were sent. The caller holds the gate."""

    def __init__(
        self,
        runtime: Runtime,
        repeats: Repeats,
        copies: EngineCopies,
        at_rest: Callable[[], object],
    ) -> None:
        self.batches: deque[Batch] = deque()
        self.flying: deque[Ticket] = deque(maxlen=MAX_FLYING)  # the last submitted
        self._runtime = runtime
        self._repeats = repeats
        self._copies = copies
        self._at_rest = at_rest  # called when all batches were waited for
        self._watch = dispatches.Watch()

    def submit(self, batch: Batch, is_logged: bool) -> None:
        """Submit the part of a split batch that was not submitted yet."""
        assert batch.submissions is not None
        submissions, tickets, runtime = batch.submissions, batch.tickets, self._runtime
        observer = dispatches.observer(runtime, self._watch, submissions[len(tickets) :])
        for number in range(len(tickets), len(submissions)):
            if len(self.flying) == MAX_FLYING:
                runtime.wait(self.flying[0])
            if self._copies.flying:
                self._copies.precede([a for due in submissions[number] for a in due.accesses])
            observer.begins()
            if batch.recorded is not None:
                ticket = runtime.repeat(batch.recorded[number])
            elif is_logged:
                ticket = runtime.record(commands(submissions[number]), True)
            else:
                ticket = self._repeats.ticket(commands(submissions[number]))
            tickets.append(ticket)
            runtime.submit(ticket)
            self.flying.append(ticket)
            observer.submitted(ticket)
        observer.finished()

    def retire(self) -> None:
        """Forget the batches that are done."""
        while self.batches and self._runtime.is_done(self.batches[0].tickets[-1]):
            self.batches.popleft()

    def wait_for(self, last: int) -> bool:
        """Wait for the work up to a level. Whether that took any."""
        for count in range(len(self.batches), 0, -1):
            if last >= self.batches[count - 1].graph.first:
                self.wait(count)
                return True
        return False

    def drain(self) -> None:
        """Wait for all of it."""
        self.wait(len(self.batches))

    def wait(self, count: int) -> None:
        """Wait for the first `count` batches."""
        for _ in range(count):
            batch = self.batches[0]
            if batch.is_fresh and batch.submissions is not None:
                for submission, ticket in zip(batch.submissions, batch.tickets):
                    began = perf_counter()
                    self._runtime.wait(ticket)
                    estimate = sum([due.command.ns for due in submission]) / 1e9
                    first_use.ran(perf_counter() - began, estimate)
            else:
                for ticket in batch.tickets:
                    self._runtime.wait(ticket)
            self.batches.popleft()
        if not self.batches:
            self.flying.clear()
            self._at_rest()
