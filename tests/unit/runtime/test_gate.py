"""One thread at a time, and that once; a forked child forgets who is inside."""

from __future__ import annotations

import threading

import pytest

from dml_vk.errors import DeviceError
from dml_vk.runtime import gate
from dml_vk.runtime.gate import Gate


def test_a_thread_enters_once_and_again_after_it_has_left():
    one, other = Gate(), Gate()
    for _ in range(2):
        with (
            one.enter(),
            other.enter(),
            pytest.raises(DeviceError, match="while a call is in progress"),
        ):
            one.enter()


def test_an_exception_leaves_the_gate_open():
    one = Gate()
    with pytest.raises(KeyError), one.enter():
        raise KeyError
    with one.enter():
        pass


def test_other_threads_wait():
    one, order = Gate(), []
    waiting = threading.Event()

    def second():
        waiting.set()
        with one.enter():
            order.append("second")

    thread = threading.Thread(target=second)
    with one.enter():
        thread.start()
        waiting.wait()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_forked_child_forgets_a_thread_that_it_does_not_have():
    one = Gate()
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with one.enter():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    gate._renew_all()  # as the hook of a fork does
    entered = False
    with one.enter():
        entered = True
    leave.set()
    thread.join()
    assert entered


def test_a_gate_that_refuses_says_why_whether_one_enters_or_only_asks():
    gate = Gate()
    gate.check()
    gate.refuses = lambda: DeviceError("device", "it is gone", pid=1)
    for call in (gate.enter, gate.check):
        with pytest.raises(DeviceError, match="gone"):
            call()
