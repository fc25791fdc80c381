"""Levels against a map from each word to the accesses it has seen."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_ranges_that_are_known_wait_for_what_they_must():
    """Where each range is always the same, as `place` finds it again: w is written, r only read."""
    pending = {}
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
        accesses = [Access("arena", 0, 0, 16, 64, kind == "w") for kind in kinds]
        assert place(pending, accesses) == expected


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
