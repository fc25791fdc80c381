"""After an interrupt: drop submissions that have not run and whose results are unused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dml_vk.runtime.arenas import Arena, Note, ranges
from dml_vk.runtime.hazards import Hazards
from dml_vk.runtime.schedule import Submission


def prune(
    left: Sequence[Submission],
    arenas: Iterable[Arena],
    held: Mapping[Arena, Iterable[Note]],
) -> list[Submission]:
    """Keep the work that writes to held memory, and the work that it depends on.

    `held` is what was in use when the interrupt came. Memory allocated later may reuse freed
    ranges, but does not need what was to be written there.
    """
    needed: dict[Arena, Hazards] = {}
    for arena in arenas:
        needed[arena] = Hazards()
        for low, high in ranges(held.get(arena, arena.live.values())):
            needed[arena].mark(low, high, True, 0)
    parts = []
    for submission in reversed(left):
        still = []
        for due in reversed(submission):
            if any(
                access.writes and needed[access.arena].after(access.low, access.high, False)
                for access in due.accesses
            ):
                for access in due.accesses:
                    needed[access.arena].mark(access.low, access.high, True, 0)
                still.append(due)
        if still:
            parts.append(still[::-1])
    return parts[::-1]
