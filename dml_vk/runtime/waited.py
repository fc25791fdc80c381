"""Commands that their caller waits for, one submission each: the next begins meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from dml_vk.runtime.interface import Command, Runtime, Ticket

MOST = 2  # submissions at a time


def run(runtime: Runtime, commands: Iterable[Command], flying: deque[Ticket]) -> None:
    """Run commands after all that was submitted. It returns or raises when none runs any more.

    Meanwhile `flying` has those that may run, so that a forked child can leave them alone.
    """
    try:
        for command in commands:
            ticket = runtime.record((command,))
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
