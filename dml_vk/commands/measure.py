"""Measuring the time of calls."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

LEAST, MOST = 5, 50  # rounds


def medians(
    calls: Sequence[Callable[[], object]],
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """The median time of each call in seconds; they must be warmed up.

    Calls alternate, so that changes in the machine's speed affect all of them alike.
    """
    spent: list[list[float]] = [[] for _ in calls]
    end = clock() + seconds
    while len(spent[0]) < LEAST or (len(spent[0]) < MOST and clock() < end):
        for call, times in zip(calls, spent):
            start = clock()
            call()
            times.append(clock() - start)
    return [statistics.median(times) for times in spent]
