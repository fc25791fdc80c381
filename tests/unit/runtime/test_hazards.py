"""Levels against a map from each word to the accesses it has seen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dml_vk.runtime.hazards import Hazards

ACCESS = st.tuples(st.integers(0, 60), st.integers(1, 30), st.booleans())


@given(st.lists(st.lists(ACCESS, min_size=1, max_size=3), max_size=25))
def test_each_operation_comes_right_after_all_it_depends_on(operations):
    pending = Hazards()
    seen = [[] for _ in range(25)]  # of each word: (level, write)
    for operation in operations:
        expected = 0
        for low, size, write in operation:
            for word in range(low // 4, (low + size + 3) // 4):
                for level, other in seen[word]:
                    if write or other:
                        expected = max(expected, level + 1)
        found = max(pending.after(low, low + size, write) for low, size, write in operation)
        assert found == expected
        for low, size, write in operation:
            pending.mark(low, low + size, write, found)
            for word in range(low // 4, (low + size + 3) // 4):
                seen[word].append((found, write))


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
    assert pending.after(16, 20, False) <= 3
