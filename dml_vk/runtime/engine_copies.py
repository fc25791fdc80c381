"""Copies by the device's copy engine, which run beside the batches of its queue."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.hazards import Access, Hazards, Range, last_level
from dml_vk.runtime.interface import Copy, CopyEngine, Runtime, Ticket


class EngineCopies:
    """The copies of one device that may still run, and what must wait for them.

    They run one after the other, and have levels of their own, as batches have. Where the device
    has no copy engine, there are none.
    """

    def __init__(self, runtime: Runtime) -> None:
        self.engine: CopyEngine | None = runtime.copy_engine
        self.flying: deque[tuple[int, Ticket]] = deque()  # of each copy, its level too
        self._runtime = runtime
        self._hazards: dict[Arena, Hazards] = {}
        self._level = 0  # of the next copy
        self._behind = -1  # the last level of batches that copies wait for
        self._ahead = -1  # the last level of copies that batches wait for

    def follow(self, last: int, sent: int) -> None:
        """Let later copies wait for batches up to the level `last`, of those sent up to `sent`."""
        assert self.engine is not None
        if last > self._behind:
            self.engine.follow()
            self._behind = sent

    def precede(self, accesses: Iterable[Access]) -> None:
        """Let what is submitted next wait for the copies that these accesses depend on."""
        self.retire()
        if self.engine is None or not self.flying:
            return
        last = max([last_level(self._hazards, each.range, each.writes) for each in accesses])
        if last > self._ahead and last >= self.flying[0][0]:
            self.engine.precede()
            self._ahead = self.flying[-1][0]

    def submit(self, copy: Copy, accesses: Iterable[Access]) -> None:
        """Start a copy after those before. What it must follow it follows already."""
        assert self.engine is not None
        self.retire()
        level = self._level
        # If an interrupt comes below, marks without a copy make nothing wait, or not for long.
        self._level = level + 1
        for access in accesses:
            hazards = self._hazards.setdefault(access.arena, Hazards())
            hazards.mark(access.low, access.end, access.writes, level, level)
        ticket = self.engine.record((copy,))
        self.flying.append((level, ticket))
        self._runtime.submit(ticket)

    def settle(self, memory: Range, write: bool) -> bool:
        """Wait for copies until the host may read, or write, this range. Whether that took any."""
        return self._wait(last_level(self._hazards, memory, write))

    def is_free(self, memory: Range) -> bool:
        """Whether the host may write this range without waiting."""
        self.retire()
        last = last_level(self._hazards, memory, True)
        return not self.flying or last < self.flying[0][0]

    def drain(self) -> None:
        """Wait for all of them."""
        self._wait(self._level)

    def forget(self, arena: Arena) -> None:
        """Drop what is known of an arena, to which nothing is copied any more."""
        self._hazards.pop(arena, None)

    def retire(self) -> None:
        """Forget the copies that are done."""
        while self.flying and self._is_over(self.flying[0][1]):
            self._forget_first()

    def _wait(self, last: int) -> bool:
        has_waited = False
        while self.flying and self.flying[0][0] <= last:
            ticket = self.flying[0][1]
            if self._runtime.is_submitted(ticket):  # An interrupt may have come before.
                self._runtime.wait(ticket)
                has_waited = True
            self._forget_first()
        return has_waited

    def _is_over(self, ticket: Ticket) -> bool:
        return not self._runtime.is_submitted(ticket) or self._runtime.is_done(ticket)

    def _forget_first(self) -> None:
        self.flying.popleft()
        if not self.flying:
            self._hazards.clear()
