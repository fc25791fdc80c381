"""The queue over a runtime that only writes down what it is asked: no device."""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dml_vk.errors import DeviceError
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.limits import MINIMUM, Profile
from dml_vk.runtime import encode
from dml_vk.runtime import queue as queue_module
from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Barrier, Copy, Dispatch
from dml_vk.runtime.pipelines import group_count
from dml_vk.runtime.queue import LOOK_OPERATIONS, Queue
from tests.unit.runtime.queues import Runtime, allocation, arena, make_plan, operand, pushes, ran

pytestmark = pytest.mark.usefixtures("no_modules")


def test_nothing_runs_before_a_flush():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    queue.launch(make_plan(), [operand(arena(), 0, 16, True)])
    assert runtime.ran == []
    queue.flush()
    assert len(runtime.ran) == 1
    queue.flush()
    assert len(runtime.ran) == 1


ACCESS = st.tuples(st.integers(0, 1), st.integers(0, 20), st.integers(1, 20), st.booleans())


@settings(max_examples=200)  # quick, and all else rests on it
@given(st.lists(st.lists(ACCESS, min_size=1, max_size=3), min_size=1, max_size=20))
def test_dependent_work_runs_in_order_and_independent_work_together(operations):
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    arenas = (arena(), arena())
    for number, accesses in enumerate(operations):
        first, *others = [
            operand(arenas[which], 4 * low, 4 * (low + size), writes, 4 * number)
            for which, low, size, writes in accesses
        ]
        queue.launch(make_plan(launches=((0,) * len(accesses),)), [first, *others])
    queue.flush()
    level_of = {base: k for k, level in enumerate(ran(runtime)) for base in level}
    assert sorted(level_of) == list(range(len(operations)))

    def depends(later, earlier):
        return any(
            a[0] == b[0] and (a[3] or b[3]) and a[1] < b[1] + b[2] and b[1] < a[1] + a[2]
            for a in operations[later]
            for b in operations[earlier]
        )

    for later in range(len(operations)):
        before = [level_of[e] for e in range(later) if depends(later, e)]
        assert level_of[later] == max(before, default=-1) + 1


def test_work_on_memory_that_others_hold_is_done_at_once():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    memory = allocation(arena())
    lent, own = Access.of(memory, 4, 0, 16, True), operand(arena(), 0, 16, True, 8)
    beside = Access.of(allocation(memory.arena, 4096), 12, 0, 16, True)
    holders = {Holder(), Holder()}
    for holder in [*holders, *holders]:
        memory.export(holder)
    while holders:
        runtime.ran.clear()
        queue.launch(make_plan(), [own])
        queue.launch(make_plan(), [beside])
        assert runtime.ran == []
        queue.launch(make_plan(launches=((0, 0),)), [own, lent])
        assert ran(runtime) == [[2, 3 + 1024], [2]]
        holder = holders.pop()
        del holder
    runtime.ran.clear()
    queue.launch(make_plan(), [lent])
    assert runtime.ran == []


class Holder:
    pass


def test_bases_count_in_elements_from_the_arena_start():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    allocation = Allocation(arena(), 512, 1024, deque())
    source = Access.of(allocation, 40, 40, 80, False)
    target = Access.of(allocation, 100, 100, 140, True)
    queue.launch(make_plan(launches=((0, -1), (3, 5))), [source, target])
    queue.flush()
    words = [push for level in pushes(runtime) for push in level]
    assert words == [[0, 64, 138, 152, 77], [0, 64, 141, 158, 77]]


def test_long_work_is_cut_so_that_signals_need_not_wait():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    queue.launch(make_plan(1000, 1e6), [operand(arena(), 0, 16, True)])  # a second
    queue.flush()
    cut = [tuple(push[:2]) for level in pushes(runtime) for push in level]
    assert cut[0][0] == 0
    assert cut[-1][1] == 1000
    assert all(a[1] == b[0] for a, b in itertools.pairwise(cut)), "no unit twice, none left out"
    assert all(end - first <= 40 for first, end in cut)
    assert all(len(level) == 1 for level in pushes(runtime))


def test_many_independent_operations_are_cut_too():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    for _ in range(9):
        queue.launch(make_plan(10, 0.99e6), [operand(arena(), 0, 16, True)])
    queue.flush()
    assert [len(level) for level in pushes(runtime)] == [4, 4, 1]


@pytest.mark.parametrize("pieces", [8, 9])
def test_hazards_are_kept_unless_memory_was_used_in_many_pieces(monkeypatch, pieces):
    monkeypatch.setattr(queue_module, "TRIM_OPERATIONS", 7)
    monkeypatch.setattr(queue_module, "MOST_SEGMENTS", 17)  # a piece, what is between, and the rest
    runtime = Runtime()
    runtime.is_busy = True
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = arena()
    memory = allocation(where)
    for number in range(pieces):
        queue.launch(make_plan(), [Access.of(memory, 0, 32 * number, 32 * number + 16, True)])
    with queue.enter():
        queue.send()
    assert [len(runtime.waited), len(queue._hazards)] == ([0, 1] if pieces == 8 else [1, 0])
    assert queue.settle(memory, False) is (pieces == 8)


def test_a_batch_is_one_submission_with_barriers_between_its_levels():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = arena()
    chain, beside = operand(where, 0, 16, True), operand(where, 16, 32, True, 16)
    for number in range(3):
        queue.launch(make_plan(), [replace(chain, base=4 * number)])
    queue.launch(make_plan(), [beside])
    queue.flush()
    assert ran(runtime) == [[0, 4], [1], [2]]
    assert len(runtime.ran) == 1


def launch_many(queue, count, where):
    plan = make_plan()
    for _ in range(count):
        queue.launch(plan, [operand(where, 0, 16, False)])


def test_work_begins_while_more_comes_if_the_device_is_idle():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    launch_many(queue, LOOK_OPERATIONS - 1, arena())
    assert runtime.ran == []
    runtime.is_busy = True
    launch_many(queue, 1, arena())
    assert len(runtime.ran) == 1
    assert runtime.waited == []
    launch_many(queue, 5 * LOOK_OPERATIONS, arena())
    assert len(runtime.ran) == 1
    runtime.is_busy = False
    launch_many(queue, LOOK_OPERATIONS, arena())
    assert [len(level) for level in ran(runtime)[1:]] == [6 * LOOK_OPERATIONS]
    assert queue.is_idle


def test_few_submissions_are_under_way_at_once():
    runtime = Runtime()
    runtime.is_busy = True
    queue = Queue(runtime, MINIMUM, lambda: None)
    queue.launch(make_plan(400, 1e6), [operand(arena(), 0, 16, True)])  # ten of 40 ms
    assert len(runtime.ran) == 10
    assert runtime.waited == runtime.ran[:7]


def test_what_is_done_does_not_pile_up_where_nobody_waits():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    for _ in range(9):
        queue.launch(make_plan(120, 1e6), [operand(arena(), 0, 16, True)])
    assert len(runtime.ran) == 27
    assert queue.is_idle


def test_the_host_waits_only_for_what_it_needs():
    runtime = Runtime()
    runtime.is_busy = True
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = arena()
    first, second, third = (Allocation(where, at, 256, deque()) for at in (0, 256, 512))
    for memory in (first, second, third):
        queue.launch(make_plan(), [Access.of(memory, 0, 0, 256, True)])
        if memory is not third:
            with queue.enter():
                queue.send()
    assert queue.settle(first, write=False)
    assert runtime.waited == runtime.ran[:1]
    assert not queue.settle(first, write=True)
    assert len(runtime.ran) == 2, "the third is still to come"
    assert queue.settle(third, write=False)
    assert runtime.waited == runtime.ran
    assert len(runtime.ran) == 3
    assert queue.is_idle


def test_a_copy_of_bytes_is_ordered_like_all_work():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    source, target = Arena(np.arange(64, dtype=np.uint32), 256, None), arena(256)
    target.block = np.zeros(64, np.uint32)
    reads, writes = operand(source, 3, 8, False, 3), operand(target, 10, 15, True, 10)
    queue.launch(plan_copy((5,), (1,), (1,), 1, 0, 0, MINIMUM), (reads, writes))
    queue.launch(make_plan(), [writes])
    queue.flush()
    assert [type(one) for one in runtime.ran[0].commands] == [Copy, Barrier, Dispatch]
    expected = np.zeros(256, np.uint8)
    expected[10:15] = source.block.view(np.uint8)[3:8]
    assert target.block.view(np.uint8).tolist() == expected.tolist()


def test_a_copy_of_bytes_that_takes_long_is_cut_into_parts(monkeypatch):
    monkeypatch.setattr(encode, "LEAST_BYTES", 4)
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    source, target = Arena(np.arange(64, dtype=np.uint32), 256, None), arena(256)
    target.block = np.zeros(64, np.uint32)
    reads, writes = operand(source, 3, 153, False, 3), operand(target, 10, 160, True, 10)
    slow = replace(plan_copy((150,), (1,), (1,), 1, 0, 0, MINIMUM), unit_ns=1e6)
    queue.launch(slow, (reads, writes))
    queue.flush()
    sizes = [one.nbytes for ticket in runtime.ran for one in ticket.commands]
    assert sizes == [40, 40, 40, 30]
    expected = np.zeros(256, np.uint8)
    expected[10:160] = source.block.view(np.uint8)[3:153]
    assert target.block.view(np.uint8).tolist() == expected.tolist()


@pytest.mark.parametrize("by", ["operations", "time"])
def test_a_full_batch_runs_by_itself(by, monkeypatch):
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    monkeypatch.setattr(queue_module, "MAX_OPERATIONS", 5)
    plan = make_plan() if by == "operations" else make_plan(20, 0.99e6)
    for _ in range(5):
        queue.launch(plan, [operand(arena(), 0, 16, True)])
    assert runtime.ran == []
    queue.launch(plan, [operand(arena(), 0, 16, True)])
    assert sum(map(len, pushes(runtime))) == 6


@pytest.mark.parametrize("broken", ["bind", "record", "submit"])
def test_an_error_while_recording_leaves_the_batch_as_it_was(broken, monkeypatch):
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = arena()
    seen = operand(where, 0, 16, True)
    queue.launch(make_plan(), [seen])
    with monkeypatch.context() as patch:

        def fail(*_):
            raise RuntimeError("no")

        patch.setattr(runtime, broken, fail)
        with pytest.raises(RuntimeError):  # noqa: PT012 - either of the two may be the one
            queue.launch(make_plan(), [operand(arena(), 0, 16, True, 4)])
            queue.flush()
    queue.launch(make_plan(), [replace(seen, base=8)])
    queue.flush()
    assert ran(runtime) == ([[0], [2]] if broken == "bind" else [[0, 1], [2]])


def test_pipelines_serve_all_arenas_and_numbers_of_groups():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where, other = arena(), arena()
    for units, place in ((640, where), (600, other), (64, where), (640, other)):
        queue.launch(make_plan(units), [operand(place, 0, 16, True)])
    assert (runtime.pipelines, runtime.bound) == (1, 2)
    queue.flush()
    groups = [one.groups for one in runtime.ran[0].commands if isinstance(one, Dispatch)]
    assert sorted(groups) == [(1, 1, 1), (10, 1, 1), (10, 1, 1), (10, 1, 1)]
    queue.forget(where)
    for place in (where, other):
        queue.launch(make_plan(), [operand(place, 0, 16, True)])
    assert (runtime.pipelines, runtime.bound) == (1, 3)
    both = [operand(place, 0, 16, True) for place in (where, other)]
    for _ in range(2):
        queue.launch(make_plan(launches=((0, 0),)), both)
        queue.forget(other)
    assert (runtime.pipelines, runtime.bound) == (2, 5)


def test_a_repeated_plan_gets_the_same_bases_and_its_own_params():
    """Also where more is touched than has a base."""
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = arena()
    operands = [operand(where, 64 * k, 64 * k + 16, k == 2, 64 * k) for k in range(3)]
    for bases in (3, 2):
        plan = make_plan(launches=((0,) * bases,))
        for told in ((5, 6), (7, 8)):
            queue.launch(plan, operands, told)
    queue.flush()
    pushed = [push for level in pushes(runtime) for push in level]
    words = [0, 16, 32]
    assert pushed == [
        [0, 64, *words[:bases], 77, *told] for bases in (3, 2) for told in ((5, 6), (7, 8))
    ]


def test_a_queue_that_refuses_says_why():
    queue = Queue(Runtime(), MINIMUM, lambda: None)
    queue.gate.refuses = lambda: DeviceError("device", "it is gone", pid=1)
    for call in (queue.enter, lambda: queue.launch(make_plan(), [operand(arena(), 0, 4, True)])):
        with pytest.raises(DeviceError, match="gone"):
            call()


def test_launches_without_number_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(queue_module, "MAX_OPERATIONS", 10)
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    plan = make_plan(launches=tuple((k,) for k in range(25)))
    queue.launch(plan, [operand(arena(), 0, 200, True)])
    assert sum(map(len, pushes(runtime))) >= 10
    queue.flush()
    assert sorted(base for level in ran(runtime) for base in level) == list(range(25))


def test_settle_reports_whether_the_host_had_to_wait():
    where = arena()
    read, written, other = (Allocation(where, at, 256, deque()) for at in (0, 256, 512))
    for write, expected in ((False, [False, True, False]), (True, [True, True, False])):
        for memory, waited in zip((read, written, other), expected):
            runtime = Runtime()
            runtime.is_busy = True
            queue = Queue(runtime, MINIMUM, lambda: None)
            reads, writes = Access.of(read, 0, 0, 256, False), Access.of(written, 0, 0, 256, True)
            queue.launch(make_plan(launches=((0, 0),)), [reads, writes])
            assert queue.settle(memory, write) is waited
            assert queue.is_idle is waited


@settings(max_examples=200)  # quick, and all else rests on it
@given(st.integers(1, 10**12))
def test_there_are_no_more_groups_than_work_or_than_the_device_can_use(needed):
    assert group_count(needed, MINIMUM) == min(needed, 65535)
    assert group_count(needed, Profile(groups_wanted=16)) == min(needed, 16)
    assert group_count(needed, Profile(groups_wanted=2**20)) == min(needed, 65535)


def test_params_follow_the_plans_own_push_words():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    queue.launch(make_plan(), [operand(arena(), 0, 16, True)], (5, 2**32 - 1))
    queue.flush()
    assert pushes(runtime) == [[[0, 64, 0, 77, 5, 2**32 - 1]]]


def test_plans_that_are_known_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(encode, "MAX_KNOWN", 2)
    queue = Queue(Runtime(), MINIMUM, lambda: None)
    where = arena()
    for count in (1, 2, 1):
        plan = make_plan()
        for _ in range(2):
            queue.launch(plan, [operand(where, 0, 16, True)])
        assert (len(queue.encoder._known), len(queue.encoder._same)) == (count, count)
