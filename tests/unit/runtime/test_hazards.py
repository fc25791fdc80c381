"""Levels against a map from each word to the accesses it has seen."""

from __future__ import annotations

import sys
from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

from dml_vk.runtime import hazards
from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.hazards import Access, Hazards, place

ACCESS = st.tuples(st.integers(0, 24), st.integers(1, 12) | st.integers(1, 70), st.booleans())


OPERATION = st.tuples(st.booleans(), st.lists(ACCESS, min_size=1, max_size=3))


@settings(max_examples=200)  # quick, and all else rests on it
@given(st.lists(OPERATION, min_size=5, max_size=25))
def test_each_operation_comes_right_after_all_it_depends_on(operations):
    pending, floor, top = Hazards(), 0, -1
    seen = [[] for _ in range(25)]  # of each word: (level, write)
    for starts_a_batch, operation in operations:
        if starts_a_batch:
            floor = top + 1
        expected = floor
        for low, size, write in operation:
            for word in range(low // 4, (low + size + 3) // 4):
                for level, other in seen[word]:
                    if write or other:
                        expected = max(expected, level + 1)
        after = [pending.after(low, low + size, write) for low, size, write in operation]
        found = max(floor, *after)
        assert found == expected
        top = max(top, found)
        for low, size, write in operation:
            pending.mark(low, low + size, write, found, floor)
            for word in range(low // 4, (low + size + 3) // 4):
                seen[word].append((found, write))


def test_an_access_to_no_bytes_hides_no_other():
    pending = Hazards()
    for low, high, level in ((0, 0, 0), (0, 64, 0), (64, 128, 1), (0, 128, 2)):
        pending.mark(low, high, True, level)
    assert pending.after(0, 64, False) == pending.after(64, 128, False) == 3


@settings(max_examples=200)
@given(st.lists(OPERATION, min_size=5, max_size=25), st.integers(1, 25))
def test_accesses_that_come_again_wait_for_the_same(operations, cleared):
    """Also where two know of the same accesses, and after one has forgotten all."""
    memory = Allocation(Arena("block", 4096, None), 256, 512, deque())
    pending, others, plain, top = {}, {}, Hazards(), -1
    for number, (is_elsewhere, operation) in enumerate(operations):
        if number == cleared:  # What comes later waits for nothing before.
            plain = Hazards()
            pending[memory.arena].clear()
        accesses = [
            Access.of(memory, low, low, low + size, write) for low, size, write in operation
        ]
        floor = max(0, top - 1)
        if is_elsewhere:
            place(others, accesses[:1], 7 * number)
        expected = max([floor, *(plain.after(a.low, a.high, a.writes) for a in accesses)])
        for a in accesses:
            plain.mark(a.low, a.high, a.writes, expected, floor)
        assert place(pending, accesses, floor) == expected
        top = max(top, expected)


FEW = st.lists(ACCESS, min_size=2, max_size=6)
LOOP = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3), min_size=2, max_size=8)


@settings(max_examples=200)
@given(FEW, LOOP, st.integers(2, 6))
def test_loops_over_pieces_of_memory_wait_for_all_they_depend_on(few, loop, rounds):
    memory = Allocation(Arena("block", 4096, None), 256, 512, deque())
    accesses = [Access.of(memory, low, low, low + size, write) for low, size, write in few]
    pending, top, seen = {}, -1, {}
    for number in range(rounds):
        for operation in loop:
            chosen = [accesses[which % len(accesses)] for which in operation]
            floor = max(0, top - number)
            expected = max(
                [floor]
                + [
                    level + 1
                    for access in chosen
                    for word in range(access.low, access.high, 4)
                    for level, write in seen.get(word, ())
                    if write or access.writes
                ]
            )
            assert place(pending, chosen, floor) == expected
            top = max(top, expected)
            for access in chosen:
                for word in range(access.low, access.high, 4):
                    seen.setdefault(word, []).append((expected, access.writes))


def test_slices_that_overlap_are_looked_up_until_their_pieces_are_known(monkeypatch):
    anew = []
    known = hazards._place_anew
    monkeypatch.setattr(hazards, "_place_anew", lambda *of: anew.append(of) or known(*of))
    memory = Allocation(Arena("block", 4096, None), 0, 1024, deque())
    new = Allocation(memory.arena, 1024, 512, deque())
    reads = [Access.of(memory, at, at, at + 512, False) for at in (0, 8, 256)]
    inner, result = Access.of(memory, 8, 8, 520, True), Access.of(new, 0, 0, 512, True)
    levels, pending = [], {}
    for _ in range(9):
        anew.clear()
        levels += [place(pending, [access, result]) for access in reads]
        levels.append(place(pending, [inner]))
    assert not anew
    assert levels == [*range(36)]


def test_ranges_that_are_new_take_few_calls():
    """As of the slices that a decomposition goes through, where none comes again."""
    memory, pending, calls = Allocation(Arena("block", 2**16, None), 0, 2**14, deque()), {}, []

    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename == hazards.__file__:
            calls.append(frame.f_code.co_name)

    for k in range(1, 32):
        pivot, row, below = [
            Access.of(memory, 0, low, high, high > 2**13)
            for low, high in ((257 * k, 257 * k + 4), (256 * k, 257 * k), (257 * k + 256, 2**14))
        ]
        sys.setprofile(note)
        place(pending, [pivot, row, below])
        sys.setprofile(None)
    assert len(calls) < 31 * 22


def test_results_of_several_sizes_take_turns_in_a_small_range(monkeypatch):
    anew = []
    known = hazards._place_anew
    monkeypatch.setattr(hazards, "_place_anew", lambda *of: anew.append(of) or known(*of))
    arena, pending = Arena("block", 4096, None), {}
    sizes = [Access.of(Allocation(arena, 256, n, deque()), 0, 0, n, True) for n in (4, 128, 250)]
    assert [place(pending, [access]) for access in sizes * 3] == [*range(9)]
    assert len(anew) == 3
    part = Access.of(Allocation(arena, 512, 256, deque()), 0, 0, 128, True)
    rest = Access.of(Allocation(arena, 512, 256, deque()), 128, 128, 256, True)
    assert [place(pending, [access]) for access in (part, rest, part)] == [0, 0, 1]


def test_what_is_pending_elsewhere_says_nothing():
    access, here, elsewhere = Access("arena", 0, 0, 16, 64, True), {}, {}
    assert [place(elsewhere, [access], 40), place(here, [access])] == [40, 0]
    assert [place(elsewhere, [access]), place(here, [access])] == [41, 1]


def test_equal_accesses_are_the_same_object_where_the_memory_is():
    first, second = Arena("block", 4096, None), Arena("block", 4096, None)
    memory = [Allocation(*pair, 64, deque()) for pair in ((first, 0), (first, 256), (second, 0))]
    access = Access.of(memory[0], 4, 5, 10, True)
    assert (access.start, access.base, access.low, access.high) == (0, 4, 4, 12)
    assert access is Access.of(Allocation(first, 0, 64, deque()), 4, 4, 12, True)
    assert all(access is not Access.of(other, 4, 5, 10, True) for other in memory[1:])
    assert access is not Access.of(memory[0], 4, 5, 10, False)


def test_accesses_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(hazards, "MAX_KNOWN", 8)
    memory = Allocation(Arena("block", 4096, None), 0, 4096, deque())
    for k in range(20):
        Access.of(memory, 4 * k, 4 * k, 4 * k + 4, False)
        assert len(memory.arena.accesses) <= 8


def test_ranges_that_are_known_wait_for_what_they_must():
    """Where each range is always the same, as `place` finds it again: w is written, r only read."""
    pending = {}
    known = {kind: Access("arena", 0, 0, 16, 64, kind == "w") for kind in "rw"}
    for kinds, expected in (
        ("w", 0),
        ("r", 1),
        ("r", 1),
        ("w", 2),  # after what reads, not only after what wrote
        ("w", 3),
        ("r", 4),
        ("rw", 5),
        ("w", 6),
    ):
        assert place(pending, [known[kind] for kind in kinds]) == expected


def test_bytes_that_share_a_word_are_ordered():
    pending = Hazards()
    pending.mark(0, 5, True, 0)
    assert pending.after(5, 6, True) == 1
    assert pending.after(8, 9, True) == 0


def test_what_is_pending_stays_small():
    pending = Hazards()
    for k in range(1000):
        pending.mark(0, 64, True, k)
        pending.mark(16, 32, False, k + 1)
    assert len(pending._segments) < 8


def test_a_read_of_everything_leaves_little_to_look_at_again():
    pending = Hazards()
    for k in range(1000):
        pending.mark(8 * k, 8 * k + 4, True, k % 3)
    assert pending.after(0, 8000, False) == 3
    pending.mark(0, 8000, False, 3)
    assert len(pending._segments) < 4
    assert pending.after(16, 20, True) == 4
    assert pending.after(16, 20, False) == 3, "also what was written before others were"


def test_what_was_written_in_pieces_before_is_read_as_a_whole():
    pending = Hazards()
    for k in range(16):
        pending.mark(8 * k, 8 * k + 8, True, k)
    pending.mark(0, 128, False, 16, 16)
    assert pending.count == 2, "the range, and the rest"
    assert pending.after(0, 8, True) == 17
    for k in range(16):
        pending.mark(8 * k, 8 * k + 8, True, 17 + k, 17)
    pending.mark(0, 128, False, 33, 32)  # one of them is of the same graph
    assert pending.count == 17
    assert [pending.after(8 * k, 8 * k + 8, False) for k in (0, 15)] == [18, 33]
