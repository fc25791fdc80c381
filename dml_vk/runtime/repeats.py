"""Submissions that come again, as those of a loop do: they are recorded once."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.runtime.interface import Command, Prepared, Runtime, Ticket

MOST_COMMANDS = 4096  # that stay recorded: each takes about a kilobyte in the driver
MOST_SEEN = 1024  # submissions that came once


class Repeats:
    """Tickets of commands. What comes a second time stays recorded, where that spares time."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._seen: set[int] = set()  # hashes of what came once, which keep nothing alive
        self._prepared: dict[tuple[Command, ...], Prepared] = {}
        self._count = 0  # of their commands

    def ticket(self, commands: Sequence[Command]) -> Ticket:
        """Return recorded commands, as `Runtime.record` does."""
        runtime = self._runtime
        if not runtime.keeps_recorded:
            return runtime.record(commands)
        key = tuple(commands)
        prepared = self._prepared.get(key)
        if prepared is None:
            name = hash(key)
            if name not in self._seen or len(key) > MOST_COMMANDS:
                if len(self._seen) >= MOST_SEEN:
                    self._seen.clear()
                self._seen.add(name)
                return runtime.record(commands)
            if self._count + len(key) > MOST_COMMANDS:
                self.forget()
            self._count += len(key)
            prepared = self._prepared[key] = runtime.prepare(key)
        return runtime.repeat(prepared)

    def forget(self) -> None:
        """Drop what is recorded, and with it what keeps pipelines and blocks alive."""
        self._prepared.clear()
        self._seen.clear()
        self._count = 0

    def alive(self) -> list[Prepared]:
        """Return all objects of the runtime that are held here."""
        return list(self._prepared.values())
