"""Commands that their caller waits for, one submission each: the next begins meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from dml_vk.runtime.interface import Command, Runtime, Ticket

C = TypeVar("C", bound=Command)
MOST = 2  # submissions at a time


def run(
    runtime: Runtime,
    commands: Iterable[C],
    flying: deque[Ticket],
    record: Callable[[Sequence[C]], Ticket],
) -> None:
    """Run commands that are recorded so. It returns or raises when none runs any more.

    Meanwhile `flying` has those that may run, so that a forked child can leave them alone.
    """
    try:
        for command in commands:
            ticket = record((command,))
            flying.append(ticket)
            runtime.submit(ticket)
            if len(flying) == MOST:
                runtime.wait(flying[0])
                flying.popleft()
    finally:
        _finish(runtime, flying)


def _finish(runtime: Runtime, flying: deque[Ticket]) -> None:
    """Wait for all of them, and let Ctrl-C through in the end."""
    interrupted: BaseException | None = None
    while flying:
        try:
            if runtime.is_submitted(flying[0]):
                runtime.wait(flying[0])
            flying.popleft()
        except KeyboardInterrupt as error:
            interrupted = error
    if interrupted is not None:
        raise interrupted
