"""How often calls wait for the device and submit work to it, and whether they would at all."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pytest

import dml_vk
from dml_vk.runtime import queue as queues
from dml_vk.runtime.queue import Queue
from dml_vk.runtime.submitted import Submitted


class Counts(NamedTuple):
    """By the host, within one call."""

    waits: int
    submissions: int


class WaitedError(BaseException):
    """No exception that tests of right arguments would take for that of wrong ones."""


@contextlib.contextmanager
def counting() -> Iterator[Callable[[Callable[[], Any]], Counts]]:
    """Yield what counts for a call. Nothing is done unless somebody waits, however long that takes.

    A wait for work is counted once, whatever it consists of.
    """
    wait, submit, seen = Submitted.wait, Submitted.submit, [0, 0]

    def waits(submitted: Any, count: int) -> None:
        seen[0] += count > 0
        wait(submitted, count)

    def submits(submitted: Any, batch: Any, is_logged: bool) -> None:
        before = len(batch.tickets)
        try:
            submit(submitted, batch, is_logged)
        finally:
            seen[1] += len(batch.tickets) - before

    def counts(call: Callable[[], Any]) -> Counts:
        seen[:] = 0, 0
        call()
        return Counts(*seen)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Submitted, "wait", waits)
        patch.setattr(Submitted, "submit", submits)
        patch.setattr(Submitted, "retire", lambda _: None)
        # Nor is a batch sent since it has many operations, of which kernels may take any number.
        patch.setattr(queues, "LOOK_OPERATIONS", 2**30)
        yield counts


@contextlib.contextmanager
def nothing_waits() -> Iterator[Callable[[Callable[[], Any]], Any]]:
    """Yield what makes a call, in which a wait for work is a WaitedError. Nothing is launched.

    Before the call, reading what has not been computed is one, but uploads may wait.
    """
    is_called = False

    def make(call: Callable[[], Any]) -> Any:
        nonlocal is_called
        is_called = True
        return call()

    def dropped(queue: Any, plan: Any, accesses: Any, params: Any, arguments: Any = None) -> None:
        queue._batch.graph.add((), accesses)

    def settle(queue: Any, allocation: Any, write: bool, part: Any = None) -> bool:
        with queue.enter():
            if queue._last_level(allocation, write, part) >= queue._batch.graph.first:
                if is_called or not write:
                    raise WaitedError
                queue.send()
        return False

    dml_vk.device().synchronize()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Queue, "add", dropped)
        patch.setattr(Queue, "settle", settle)
        yield make
    dml_vk.device().synchronize()


@contextlib.contextmanager
def pending(tensors: Iterable[dml_vk.Tensor]) -> Iterator[None]:
    """Let the values of tensors be what work computes that has not been submitted."""
    dml_vk.device().synchronize()
    copies = []  # whose memory nobody else gets, so that nobody has to wait for it
    for x in tensors:
        if not x.layout.overlaps and not x.allocation.is_fixed:
            copies.append(x.clone())
            x[...] = copies[-1]
    yield
    dml_vk.device().synchronize()
