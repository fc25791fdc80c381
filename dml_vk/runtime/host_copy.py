"""Copies within the host's memory by several threads: one moves a fifth of what a bus can carry."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from threading import Condition
from typing import Any, TypeAlias

import numpy as np

from dml_vk.driver.probe import cores

PART_BYTES = 2 * 2**20  # the least that is worth a thread
MOST_THREADS = 8
Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Part = tuple[Array, Array]  # target and source


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
    _Shared([(target[a:b], source[a:b]) for a, b in pairwise(ends)]).run()


def threads() -> int:
    """How many threads copy: half of the cores, since drivers and programs have work for others."""
    return min(MOST_THREADS, cores() // 2)


class _Shared:
    """Parts of a copy, of which the caller and other threads each take the next."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._left = [*parts]
        self._changed = Condition()
        self._helping = 0  # threads that write a part
        self._errors: list[Exception] = []

    def run(self) -> None:
        try:
            with contextlib.suppress(RuntimeError):  # An interpreter that ends starts no threads.
                for _ in self._left[1:]:
                    _pool().submit(self._help)
            while (part := self._next()) is not None:
                _write(*part)
        finally:
            # A thread that has been asked, but has not begun, finds nothing.
            self._left.clear()
            self._wait()
        if self._errors:
            raise self._errors[0]

    def _next(self) -> Part | None:
        with contextlib.suppress(IndexError):
            return self._left.pop()
        return None

    def _help(self) -> None:
        """Write parts in another thread, where no Ctrl-C comes in between."""
        while True:
            with self._changed:
                part = self._next()
                if part is None:
                    return
                self._helping += 1
            try:
                _write(*part)
            except Exception as error:
                self._errors.append(error)
            finally:
                with self._changed:
                    self._helping -= 1
                    self._changed.notify_all()

    def _wait(self) -> None:
        """Wait for the other threads, and let Ctrl-C through in the end."""
        interrupted: BaseException | None = None
        while True:
            try:
                with self._changed:
                    self._changed.wait_for(lambda: not self._helping)
                break
            except KeyboardInterrupt as error:
                interrupted = error
        if interrupted is not None:
            raise interrupted


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_THREADS, "dml_vk copies")


def _write(target: Array, source: Array) -> None:
    with np.errstate(all="ignore"):
        np.copyto(target, source, casting="unsafe")
