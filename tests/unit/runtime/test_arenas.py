"""Memory over a runtime that only counts: no device."""

from __future__ import annotations

import gc
import itertools
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from dml_vk.errors import DeviceMemoryError
from dml_vk.runtime import arenas as arenas_module
from dml_vk.runtime.arenas import FIRST_ARENA_BYTES, KEPT_S, Memory
from dml_vk.runtime.free_list import FreeList
from tests.interrupts import interrupted

MIB = 2**20
FILE = arenas_module.__file__


class Machine:
    """A device with so much memory, seen through what Memory asks of runtime and guard."""

    def __init__(self, nbytes=10**12):
        self.nbytes = nbytes
        self.blocks = []
        self.flushes = 0
        self.forgotten = []
        self.error = None  # of the driver
        flush, forget = self.flush, self.forgotten.append
        self.now = 1000.0
        clock = lambda: self.now  # noqa: E731
        self.memory = Memory(self, self, 128 * MIB, "unified", flush, forget, clock)

    def allocate(self, nbytes, kind):
        assert kind == "unified"
        if self.error:
            raise self.error
        self.blocks.append(nbytes)
        return SimpleNamespace(words=np.zeros(nbytes // 4, np.uint32))

    def view(self, block):
        return block.words

    def refusal(self, nbytes, kind, held_bytes):
        return "the machine is full" if held_bytes + nbytes > self.nbytes else None

    def flush(self):
        self.flushes += 1

    def trim_later(self):
        """After so long without use that nothing is kept for it."""
        for _ in range(3):
            self.now += KEPT_S
            self.memory.trim_idle()

    def take(self, nbytes):
        return self.memory.allocate("test", nbytes)


def rounded(nbytes):
    return -(-nbytes // 256) * 256


@pytest.fixture
def machine():
    return Machine()


def test_ranges_are_aligned_disjoint_and_their_own(machine):
    taken = [machine.take(nbytes) for nbytes in (1, 255, 256, 257, 0, 1000)]
    ends = [0]
    for number, allocation in enumerate(taken):
        assert allocation.offset % 256 == 0
        assert allocation.offset >= ends[-1]
        ends.append(allocation.offset + allocation.nbytes)
        allocation.bytes[:] = number + 1
    assert [set(a.bytes.tolist()) for a in taken] == [{1}, {2}, {3}, {4}, set(), {6}]
    assert machine.memory.in_use == 256 * (1 + 1 + 1 + 2 + 1 + 4)


def test_a_freed_range_serves_again(machine):
    first = machine.take(1000)
    arena, offset = first.arena, first.offset
    keep = machine.take(10)
    del first
    again = machine.take(900)
    assert (again.arena, again.offset) == (arena, offset)
    assert keep.offset != again.offset
    assert len(machine.blocks) == 1


def test_a_range_goes_on_to_the_next_of_its_size(machine):
    sizes = [1000, 10, 10, 900, 1000, 2000, 300]
    for nbytes in sizes:
        held = machine.take(nbytes)  # before the last one dies
        machine.memory.drain()
        assert machine.memory.in_use in {rounded(a) + rounded(nbytes) for a in (0, *sizes)}
    del held
    before = machine.take(300)
    offset = before.offset
    del before
    assert machine.take(257).offset == offset
    machine.memory.drain()
    assert machine.memory.in_use == 0


def test_a_loop_gets_its_ranges_again_whatever_their_sizes(machine, monkeypatch):
    """Where several die between, as the temporaries of an expression do."""
    keep = machine.take(1000)
    taken = []
    plain = FreeList.take
    monkeypatch.setattr(
        FreeList, "take", lambda free, size: taken.append(size) or plain(free, size)
    )
    for _ in range(9):
        product, total = machine.take(1000), machine.take(4)
        root = machine.take(4)
        del product, total
        keep = machine.take(1000)
        del root
    assert len(taken) < 9
    del keep
    assert machine.memory.stats().in_use == 0
    assert machine.memory.peak == 256 * (4 + 4 + 1 + 1)


def test_ctrl_c_at_any_bytecode_neither_loses_a_range_nor_gives_it_twice(machine):
    """Where it goes on from one owner to the next."""
    keep = machine.take(256)
    for at in itertools.count():
        freed = machine.take(1000)
        del freed
        # Python looks for signals after calls, of which there is none between the note of an
        # allocation and its fields.
        came = interrupted(at, FILE, machine.take, 900, outside=("__init__",))
        held = [machine.take(nbytes) for nbytes in (1000, 900, 900)]
        starts = sorted((a.offset, a.offset + a.nbytes) for a in (keep, *held))
        assert all(low >= end for (_, end), (low, _) in pairwise(starts))
        held.clear()
        machine.memory.drain()
        assert machine.memory.in_use == 256
        if not came:
            break
    assert at > 30


def test_little_lies_idle(machine):
    held = []
    for k in range(1, 400):
        held.append(machine.take(MIB))
        assert machine.memory.held <= 1.25 * k * MIB + FIRST_ARENA_BYTES
    assert len(machine.blocks) < 20


def test_a_large_tensor_gets_its_own_arena(machine):
    small, large, other = machine.take(100), machine.take(64 * MIB), machine.take(64 * MIB)
    assert machine.blocks == [FIRST_ARENA_BYTES, 64 * MIB + 256, 64 * MIB + 512]
    assert len({small.arena, large.arena, other.arena}) == 3
    assert machine.memory.in_use == 256 + 2 * 64 * MIB


def test_large_tensors_begin_at_different_places_in_a_page(machine):
    held = [machine.take(64 * MIB) for _ in range(6)]
    assert len({allocation.offset % 4096 for allocation in held}) == 6
    assert {allocation.offset % 256 for allocation in held} == {0}
    held.clear()
    machine.trim_later()
    assert machine.memory.in_use == 0
    assert machine.memory.held <= 2 * (64 * MIB + 4096)


def test_a_chain_holds_its_live_tensors_and_two(machine):
    x = machine.take(64 * MIB)
    for _ in range(20):
        y = machine.take(64 * MIB)
        x = y
        machine.memory.trim_idle()
        assert machine.memory.held <= 3 * 64 * MIB
    assert x.nbytes == 64 * MIB


def test_small_results_beside_large_tensors_keep_their_arena(machine):
    large = [machine.take(120 * MIB) for _ in range(3)]
    for _ in range(200):
        machine.take(5 * MIB)  # freed at once, and so soon a small one is all that was asked for
        machine.memory.trim_idle()
    assert machine.forgotten == []
    assert len(large) == 3


def test_what_belongs_together_lies_together(machine):
    first, large = machine.take(100), machine.take(64 * MIB)
    beside = machine.memory.allocate("test", 100, large.arena)
    assert beside.arena is first.arena, "there is no room in the other"
    small = machine.take(30 * MIB).arena  # freed at once
    assert machine.memory.allocate("test", 100, small).arena is small


def test_what_is_idle_goes_back_at_once_when_others_need_it(machine):
    held = [machine.take(32 * MIB) for _ in range(10)]
    held.clear()
    machine.memory.trim_idle()
    assert machine.memory.held >= 10 * 32 * MIB
    machine.nbytes = 300 * MIB
    machine.now += KEPT_S
    machine.memory.trim_idle()
    assert machine.memory.held == 0


def test_what_is_freed_goes_back_to_the_device_in_time(machine):
    held = [machine.take(32 * MIB) for _ in range(10)]
    held.clear()
    machine.memory.trim_idle()
    machine.now += KEPT_S / 2
    machine.memory.trim_idle()
    assert machine.memory.held >= 10 * 32 * MIB, "what was in use a moment ago will be again"
    machine.trim_later()
    assert machine.memory.held <= 2 * (32 * MIB + 4096)
    for _ in range(64):
        machine.take(256)
    machine.trim_later()
    assert machine.memory.held <= FIRST_ARENA_BYTES
    gone = sum(arena.nbytes for arena in machine.forgotten)
    assert machine.memory.held == sum(machine.blocks) - gone


def test_more_than_a_kernel_can_address_is_refused_by_name(machine):
    with pytest.raises(DeviceMemoryError, match=r"at most 134217728 bytes.*; got nbytes=134217729"):
        machine.take(128 * MIB + 1)
    assert machine.blocks == []
    assert isinstance(machine.take(128 * MIB).offset, int)


@pytest.mark.parametrize("by", ["limit", "device"])
def test_out_of_memory_leaves_everything_usable(by):
    machine = Machine(100 * MIB if by == "device" else 10**12)
    if by == "limit":
        machine.memory.limit = 100 * MIB
    held = [machine.take(30 * MIB) for _ in range(3)]
    for number in range(3):
        held[number].bytes[:] = number + 1
    before = machine.memory.stats()
    with pytest.raises(MemoryError, match="test: out of device memory:"):
        machine.take(30 * MIB)
    assert machine.memory.stats() == before
    assert [int(a.bytes[-1]) for a in held] == [1, 2, 3]
    assert machine.take(9 * MIB).nbytes == 9 * MIB, "what fits is still served"
    held.pop()
    assert machine.take(30 * MIB).nbytes == 30 * MIB


def test_cached_arenas_are_released_before_giving_up():
    machine = Machine(100 * MIB)
    held = [machine.take(45 * MIB), machine.take(45 * MIB)]
    held.clear()
    assert machine.take(90 * MIB).nbytes == 90 * MIB
    assert machine.flushes == 1, "pending work may use what is released"


def test_unreachable_tensors_are_collected_before_giving_up():
    machine = Machine(100 * MIB)
    gc.disable()
    try:
        cycle = [machine.take(90 * MIB)]
        cycle.append(cycle)
        del cycle
        assert machine.take(80 * MIB).nbytes == 80 * MIB
    finally:
        gc.enable()


def test_an_arena_shrinks_to_what_is_left():
    machine = Machine(10 * MIB)
    assert machine.take(MIB).nbytes == MIB
    assert machine.blocks == [MIB]


def test_a_driver_that_has_no_room_is_told_like_any_other(machine):
    machine.error = DeviceMemoryError("allocate", "the driver has no memory", nbytes=5)
    with pytest.raises(DeviceMemoryError, match=r"test: out of device memory: .*has no memory"):
        machine.take(5)
    machine.error = None
    assert machine.take(5).nbytes == 5


def test_stats_tell_what_is_held(machine):
    taken = machine.take(1000)
    machine.take(5000)
    stats = machine.memory.stats()
    assert (stats.in_use, stats.peak, stats.limit) == (1024, 1024 + 5120, None)
    assert stats.cached == FIRST_ARENA_BYTES - 1024
    (arena,) = stats.arenas
    assert (arena.nbytes, arena.in_use) == (FIRST_ARENA_BYTES, 1024)
    assert arena.largest_free == FIRST_ARENA_BYTES - 1024
    assert arena.host_visible
    assert taken.nbytes == 1000
