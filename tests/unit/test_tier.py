"""What `./dev test` takes of the cases that `./dev test --all` runs."""

from __future__ import annotations

import itertools

import pytest

from tests import tier
from tests.chance import chance

LISTS = (list(range(7)), list("abcd"), [True, False], [0.5, 1.5, 2.5])


@pytest.fixture
def of_some():
    whole, left = tier.is_all(), tier.left_out()
    tier.begin(is_all=False)
    yield
    tier.begin(is_all=whole)
    tier.leave_out(left)


@pytest.fixture
def of_all(of_some):
    tier.begin(is_all=True)


@pytest.mark.usefixtures("of_all")
def test_all_cases():
    assert tier.crossed(*LISTS) == list(itertools.product(*LISTS))
    assert tier.some(iter("abcdef"), 2) == list("abcdef")
    assert tier.plus("ab", iter("cd")) == list("abcd")
    assert tier.examples(40, deadline=None).max_examples == 40
    assert tier.left_out() == 0


@pytest.mark.usefixtures("of_some")
def test_some_cases_are_spaced_evenly_from_the_first_to_the_last():
    assert tier.some(range(10), 4) == [0, 3, 6, 9]
    assert tier.some(range(3), 4) == [0, 1, 2]
    assert tier.some(range(10), 1) == [0]
    assert tier.some([], 1) == []
    assert tier.left_out() == 6 + 9


@pytest.mark.usefixtures("of_some")
def test_others_are_left_to_all():
    assert tier.plus("ab", iter("cde")) == ["a", "b"]
    assert tier.left_out() == 3


@pytest.mark.usefixtures("of_some")
def test_of_two_lists_each_value_is_there():
    for first, second in itertools.product(range(1, 9), range(1, 9)):
        chosen = tier.crossed(range(first), range(second))
        assert len(chosen) == max(first, second)
        assert {a for a, _ in chosen} == set(range(first))
        assert {b for _, b in chosen} == set(range(second))
    assert tier.crossed(range(5), []) == []
    assert tier.crossed("abc") == [("a",), ("b",), ("c",)]


@pytest.mark.usefixtures("of_some")
def test_values_of_lists_of_one_length_do_not_always_go_together():
    chosen = tier.crossed("abcd", [0, 1])
    assert {(a, b) for a, b in chosen} == {("a", 0), ("b", 1), ("c", 1), ("d", 0)}


@pytest.mark.usefixtures("of_some")
def test_of_three_lists_or_more_each_pair_is_there():
    sizes = [tuple(chance().integers(1, 6, count)) for count in (3, 3, 4, 5) for _ in range(5)]
    for lists in [LISTS, *[[range(size) for size in each] for each in sizes]]:
        chosen = tier.crossed(*lists)
        for (i, first), (j, second) in itertools.combinations(enumerate(lists), 2):
            pairs = set(itertools.product(first, second))
            assert {(row[i], row[j]) for row in chosen} == pairs
        assert len(chosen) <= 2 * max(len(a) * len(b) for a, b in itertools.permutations(lists, 2))
    assert tier.crossed(*LISTS) == tier.crossed(*LISTS)


@pytest.mark.usefixtures("of_some")
def test_a_fifth_of_the_examples_but_a_few_at_least():
    counts = [tier.examples(most).max_examples for most in (2, 8, 100)]
    assert counts == [2, tier.LEAST, 20]


@pytest.mark.usefixtures("of_some")
def test_a_mark_for_combinations():
    mark = tier.parametrize("letter, number", "ab", [1, 2, 3]).mark
    assert mark.args == (["letter", "number"], [("a", 1), ("b", 2), ("b", 3)])
    assert tier.left_out() == 3
