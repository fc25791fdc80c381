"""The free list against a plain map of bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dml_vk.runtime.free_list import MOST_APART, MOST_SPARES, FreeList


def free_runs(taken, nbytes):
    """The maximal free runs as (start, size)."""
    runs, at = [], 0
    for start, size in sorted(taken):
        if start > at:
            runs.append((at, start - at))
        at = start + size
    return runs + ([(at, nbytes - at)] if at < nbytes else [])


STEP = st.tuples(st.booleans(), st.integers(1, 12), st.integers(0, 99), st.booleans())


@settings(max_examples=200)  # quick, and all else rests on it
@given(st.lists(STEP, max_size=60))
def test_any_history_keeps_the_free_list_consistent(history):
    free, taken, merged = FreeList(64), [], True
    for take, size, which, look in history:
        runs = free_runs(taken, 64)
        if take:
            fitting = [run for run in runs if run[1] >= size]
            best = min(fitting, key=lambda run: run[1])[1] if fitting else None
            fit = free.fit(size)
            assert fit is None if best is None else size <= fit <= max(room for _, room in runs)
            assert fit in (best, size) or not merged
            start = free.take(size)
            assert (start is None) == (not fitting)
            if start is not None:
                assert any(at <= start and start + size <= at + room for at, room in runs)
                if merged:
                    assert (start, best) in runs, "the start of a smallest run that holds it"
                taken.append((start, size))
        elif taken:
            given = taken.pop(which % len(taken))
            assert free.give(given[0]) == given[1]
            assert free.give(given[0]) == 0
            merged = False
        runs = free_runs(taken, 64)
        assert free.free_bytes == sum(size for _, size in runs)
        if look:
            assert free.largest == max((size for _, size in runs), default=0)
            merged = True
        assert free.is_empty == (not taken)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)])
def test_neighbours_merge_from_either_side(order):
    free = FreeList(30)
    starts = [free.take(10) for _ in range(3)]
    assert free.take(1) is None
    for which in order:
        free.give(starts[which])
        free.give(starts[which])  # as if nothing were
    assert free.take(30) == 0


class Interrupting(FreeList):
    """Ctrl-C at the nth step of a change."""

    steps = 10**9

    def step(self):
        self.steps -= 1
        if self.steps == 0:
            raise KeyboardInterrupt

    def _insert(self, start, size):
        self.step()
        super()._insert(start, size)
        self.step()

    def _remove(self, start):
        self.step()
        size = super()._remove(start)
        self.step()
        return size


@pytest.mark.parametrize("steps", range(1, 7))
@pytest.mark.parametrize("change", ["take", "give"])
def test_an_interrupt_keeps_the_free_list_consistent(change, steps):
    free = Interrupting(70)
    first, a, b, c = (free.take(10) for _ in range(4))
    free.give(a)
    free.give(c)
    assert free.largest == 40
    free.steps = steps
    interrupted = False
    try:
        free.take(5) if change == "take" else (free.give(b), free.largest)
    except KeyboardInterrupt:
        interrupted = True
    assert interrupted == (steps <= (4 if change == "take" else 6))
    free.steps = 10**9
    if change == "take" and not interrupted:
        free.give(a)
    if change == "take":
        assert (free.free_bytes, free.largest) == (50, 40)
        free.give(b)
    assert (free.free_bytes, free.largest, free.is_empty) == (60, 60, False)
    free.give(first)
    assert free.take(70) == 0


def test_a_returned_range_istaken_again():
    free = FreeList(10**6)
    starts = [free.take(100) for _ in range(300)]
    for start in starts:
        free.give(start)
        assert free.take(100) == start
    for start in starts:
        free.give(start)
    assert free.take(10**6) == 0


def test_loops_over_several_sizes_take_the_same_ranges_each_time():
    free, rounds = FreeList(10**6), []
    for _ in range(300):
        first, second = free.take(100), free.take(200)
        free.give(first)
        third = free.take(300)
        free.give(second)
        free.give(third)
        rounds.append((first, second, third))
    assert len(set(rounds)) == 1


def test_large_ranges_are_merged_before_others_are_cut():
    free = FreeList(10**7)
    first, second = (free.take(MOST_APART) for _ in range(2))
    free.give(first)
    free.give(second)
    assert free.take(MOST_APART + 1) == first


def test_ranges_are_merged_before_there_are_too_many():
    free = FreeList(10**6)
    for size in range(1, MOST_SPARES + 2):
        free.give(free.take(size))
    assert free.take(10**6) == 0
    free.give(0)
    for start in [free.take(1) for _ in range(MOST_SPARES + 1)]:
        free.give(start)
    assert free._spare == {}


class InterruptedSpare(list):
    """Ctrl-C as soon as a range is out of the list."""

    def pop(self):
        super().pop()
        raise KeyboardInterrupt


class InterruptedTaken(dict):
    """Ctrl-C as soon as a range is taken."""

    def __setitem__(self, start, nbytes):
        super().__setitem__(start, nbytes)
        raise KeyboardInterrupt


def test_an_interrupt_loses_no_range_before_it_is_handed_out():
    free = FreeList(100)
    free.give(free.take(40))
    for wanted in (40, 30):  # one that is spare, and one that is cut
        free.taken = InterruptedTaken()
        with pytest.raises(KeyboardInterrupt):
            free.take(wanted)
        free.taken = dict(free.taken)
        assert (free.free_bytes, free.largest, free.is_empty) == (100, 100, True)


def test_an_interrupt_loses_no_spare_range():
    free = FreeList(100)
    start = free.take(40)
    free.give(start)
    free._spare[40] = InterruptedSpare(free._spare[40])
    with pytest.raises(KeyboardInterrupt):
        free.take(40)
    assert (free.free_bytes, free.largest, free.is_empty) == (100, 100, True)
    free.give(free.take(40))

    class Broken(dict):
        def setdefault(self, size, starts):
            raise KeyboardInterrupt

    start = free.take(40)
    free._spare = Broken()
    with pytest.raises(KeyboardInterrupt):
        free.give(start)
    assert (free.free_bytes, free.largest, free.is_empty) == (100, 100, True)
