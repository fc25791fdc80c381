"""Work is put off until somebody reads what it writes: what nobody reads needs no kernel."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from dml_vk.runtime.queue import Queue

Put = tuple[Queue, tuple[Any, ...]]  # off: a launch as `Queue.add` gets it


class Unread:
    """The launches that were put off, in their order."""

    def __init__(self) -> None:
        self.put: list[Put] = []

    def drop(self) -> None:
        """Nobody will read what is left."""
        self.put.clear()


@contextlib.contextmanager
def work_is_put_off() -> Iterator[Unread]:
    """All devices plan each launch, but encode it only if its results are read or overwritten."""
    unread = Unread()
    add, send, settle, is_free, dispatch = (
        getattr(Queue, name) for name in ("add", "send", "settle", "is_free", "dispatch")
    )

    def catch_up() -> None:
        put, unread.put = unread.put, []
        for queue, launch in put:
            add(queue, *launch)

    def put_off(queue: Queue, *launch: Any) -> None:
        unread.put.append((queue, launch))

    def touches(allocation: Any) -> bool:
        low, high = allocation.offset, allocation.offset + max(1, allocation.nbytes)
        return any(
            access.arena is allocation.arena and access.low < high and low < access.high
            for _, (_, accesses, *_) in unread.put
            for access in accesses
        )

    def settle_first(queue: Queue, allocation: Any, *how: Any) -> bool:
        if touches(allocation):
            with queue.enter():
                catch_up()
        return settle(queue, allocation, *how)

    def is_free_and_not_touched(queue: Queue, allocation: Any) -> bool:
        return not touches(allocation) and is_free(queue, allocation)

    def dispatch_after(queue: Queue, *given: Any) -> None:
        with queue.enter():
            catch_up()
        dispatch(queue, *given)

    def send_all(queue: Queue) -> None:  # whose caller holds the gate
        catch_up()
        send(queue)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Queue, "add", put_off)
        patch.setattr(Queue, "settle", settle_first)
        patch.setattr(Queue, "is_free", is_free_and_not_touched)
        patch.setattr(Queue, "dispatch", dispatch_after)
        patch.setattr(Queue, "send", send_all)
        yield unread
        unread.drop()
