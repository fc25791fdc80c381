"""Copies within the host's memory by several threads: one moves a fifth of what a bus can carry."""

from __future__ import annotations

import contextlib
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from dml_vk.driver.probe import cores

PART_BYTES = 2 * 2**20  # the least that is worth a thread
MOST_THREADS = 8
Array = np.ndarray[Any, np.dtype[Any]]


def move(target: Array, source: Array) -> None:
    """Write the elements of an array into another of its shape, converted to its type.

    It returns or raises when no thread writes any more.
    """
    count = min(threads(), target.nbytes // PART_BYTES)
    if count > 1 and target.flags.c_contiguous and source.flags.c_contiguous:
        target, source = target.reshape(-1), source.reshape(-1)
    count = min(count, len(target) if target.ndim else 1)
    if count < 2:
        _write(target, source)
        return
    ends = [len(target) * n // count for n in range(count + 1)]
    parts = [slice(start, end) for start, end in pairwise(ends)]
    pending: list[Future[None]] = []
    try:
        for part in parts[1:]:
            pending.append(_pool().submit(_write, target[part], source[part]))
        _write(target[parts[0]], source[parts[0]])
    except RuntimeError:  # The interpreter is ending, and starts no threads.
        _write(target, source)
    finally:
        _finish(pending)
    for one in pending:
        one.result()


def threads() -> int:
    """How many threads copy: half of the cores, since drivers and programs have work for others."""
    return min(MOST_THREADS, cores() // 2)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_THREADS, "dml_vk copies")


def _write(target: Array, source: Array) -> None:
    with np.errstate(all="ignore"):
        np.copyto(target, source, casting="unsafe")


def _finish(pending: list[Future[None]]) -> None:
    """Wait until all have ended, whatever comes in between: they write memory of their caller."""
    interrupted: BaseException | None = None
    for one in pending:
        while not one.done():
            try:
                with contextlib.suppress(Exception):
                    one.exception()
            except BaseException as error:  # Ctrl-C, which is let through in the end.
                interrupted = error
    if interrupted is not None:
        raise interrupted
