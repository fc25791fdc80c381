"""Time a case by each library, and compare what they compute."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dml_vk.commands.cases.case import Array, Case
from dml_vk.commands.cases.libraries import Library
from dml_vk.commands.figures import rounded

SECONDS = 0.12  # of a round
ROUNDS = 3
MOST_CALLS = 300  # of a round
LONG_SECONDS = 1.5  # a call of that length is timed once
COMPARED = 2**16  # elements
Row = dict[str, Any]


def timed(
    call: Callable[[], object],
    wait: Callable[[], object],
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Milliseconds of the first call, of one call and its wait, and of one among many."""

    def once() -> float:
        begun = clock()
        call()
        wait()
        return clock() - begun

    first = once()
    once()
    single = once()
    many = single
    if single < LONG_SECONDS:
        count = int(min(MOST_CALLS, max(3, SECONDS / max(single, 1e-6))))
        rounds = []
        for _ in range(ROUNDS):
            begun = clock()
            for _ in range(count):
                call()
            wait()
            rounds.append((clock() - begun) / count)
        many = statistics.median(rounds)
    times = {"first_ms": first, "one_ms": single, "ms": many}
    return {name: rounded(1e3 * seconds) for name, seconds in times.items()}


def measured(case: Case, libraries: Sequence[Library]) -> Row:
    """The times of each library for a case, or why it failed."""
    row: Row = {"case": case.name}
    results: dict[str, Array] = {}
    try:
        arrays = case.arrays()
    except MemoryError as error:
        return {**row, "error": str(error)}
    for library in libraries:
        call = case.by(library.name)
        if call is None:
            continue
        try:
            row[library.name] = _by(case, library, arrays, call, results)
        except Exception as error:  # each library fails in ways of its own
            row[library.name] = {"error": f"{type(error).__name__}: {error}"[:300]}
        gc.collect()
        library.release()
    ours = results.pop("dml_vk", None)
    if ours is not None and case.is_compared:
        row["differs"] = {name: _difference(ours, theirs) for name, theirs in results.items()}
    return row


def _by(
    case: Case, library: Library, arrays: Sequence[Array], call: Any, results: dict[str, Array]
) -> Row:
    operands = [library.array(array) for array in arrays]
    library.wait()
    results[library.name] = library.values(call(library.module, *operands))[:COMPARED]
    row: Row = timed(lambda: call(library.module, *operands), library.wait)
    rate, unit = case.rate(row["ms"] / 1e3)
    if unit:
        row |= {"rate": rounded(rate), "unit": unit}
    return row


def _difference(ours: Array, theirs: Array) -> float | str:
    """The largest difference of the first elements, as a share of the largest of them."""
    if ours.shape != theirs.shape:
        return f"shapes {ours.shape} and {theirs.shape}"
    if not ours.size:
        return 0.0
    kind = np.complex128 if ours.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        most = np.abs(ours.astype(kind) - theirs.astype(kind)).max()
        return rounded(float(most / max(np.abs(theirs.astype(kind)).max(), 1e-30)))
