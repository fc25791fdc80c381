"""Copies by several threads: every element once, and no thread that still writes afterwards."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import dml_vk
from dml_vk.runtime import host_copy
from dml_vk.runtime.host_copy import PART_BYTES, move
from tests.hanging import HANGING


@pytest.fixture(autouse=True)
def four(monkeypatch):
    monkeypatch.setattr(host_copy, "threads", lambda: 4)


@pytest.fixture
def writers(monkeypatch):
    """The threads that wrote."""
    found = []
    write = host_copy._write
    monkeypatch.setattr(
        host_copy, "_write", lambda *given: found.append(threading.get_ident()) or write(*given)
    )
    return found


@pytest.mark.parametrize("extra", [-1, 0, 1, 7])
@pytest.mark.parametrize("parts", [1, 2, 3, 4, 5])
def test_every_byte_is_copied_by_as_many_threads_as_it_is_worth(parts, extra, writers):
    nbytes = parts * PART_BYTES + extra
    source = np.arange(nbytes, dtype=np.uint32).view(np.uint8)[:nbytes]
    whole = np.full(nbytes + 2, 77, np.uint8)
    move(whole[1:-1], source)
    np.testing.assert_array_equal(whole[1:-1], source)
    assert whole[0] == whole[-1] == 77
    assert len(writers) == max(1, min(4, nbytes // PART_BYTES))


@pytest.mark.parametrize("shape", [(), (0,), (3, 2**20), (2**11 + 1, 2**10), (1, 2**21)])
def test_arrays_of_any_layout_are_converted(shape):
    source = np.arange(np.prod(shape), dtype=np.float64).reshape(shape[::-1]).T
    target = np.zeros(shape, np.float32)
    move(target, source)
    np.testing.assert_array_equal(target, source.astype(np.float32))


def test_tensors_come_and_go_by_it(writers):
    data = np.arange(2**22, dtype=np.float32)
    tensor = dml_vk.asarray(data.astype(np.float64), "float32")
    np.testing.assert_array_equal(tensor.numpy(), data)
    assert len(writers) >= 8


@pytest.mark.parametrize("again", [0, 1, 3])
def test_an_interrupt_comes_through_once_nothing_writes(again, monkeypatch):
    """However often it comes, and whatever the other threads have begun."""
    started, may_end, begun, ended = threading.Event(), threading.Event(), [], []
    write, main = host_copy._write, threading.get_ident()

    def slow(target, source):
        if threading.get_ident() == main:
            started.wait(HANGING)
            raise KeyboardInterrupt
        begun.append(target.size)
        started.set()
        may_end.wait(HANGING)
        write(target, source)
        ended.append(target.size)

    class Interrupted(threading.Condition):
        left = again

        def wait_for(self, predicate, timeout=None):
            if threading.get_ident() == main and self.left:
                self.left -= 1
                raise KeyboardInterrupt
            may_end.set()
            return super().wait_for(predicate, timeout)

    monkeypatch.setattr(host_copy, "_write", slow)
    monkeypatch.setattr(host_copy, "Condition", Interrupted)
    source, target = np.ones(4 * PART_BYTES, np.uint8), np.zeros(4 * PART_BYTES, np.uint8)
    with pytest.raises(KeyboardInterrupt):
        move(target, source)
    assert begun
    assert ended == begun
    assert int(target.sum(dtype=np.int64)) == sum(ended)


def test_an_error_in_another_thread_is_the_caller_s(monkeypatch):
    write, main, failed = host_copy._write, threading.get_ident(), threading.Event()

    def failing(target, source):
        if threading.get_ident() != main:
            failed.set()
            raise ValueError("no such conversion")
        failed.wait(HANGING)
        write(target, source)

    monkeypatch.setattr(host_copy, "_write", failing)
    data = np.ones(2 * PART_BYTES, np.uint8)
    with pytest.raises(ValueError, match="no such conversion"):
        move(np.zeros_like(data), data)


def test_where_no_thread_can_start_the_caller_copies_all(monkeypatch):
    def ending(*given):
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(host_copy._pool(), "submit", ending)
    source, target = np.arange(PART_BYTES, dtype=np.uint32), np.zeros(PART_BYTES, np.uint32)
    move(target, source)
    np.testing.assert_array_equal(target, source)
