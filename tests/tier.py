"""How much a run takes: `./dev test` each promise once, `./dev test --all` also their products.

What a run leaves out is counted, and said at its end.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import settings

Case = TypeVar("Case")

FEWER = 5  # times fewer random examples in `./dev test`
LEAST = 4  # random examples


class _Run:
    """What the conftest knows before it collects."""

    is_all = False
    left_out = 0  # cases of the process


def begin(*, is_all: bool) -> None:
    """The run takes all cases, or some; nothing is left out yet."""
    _Run.is_all, _Run.left_out = is_all, 0


def is_all() -> bool:
    return _Run.is_all


def left_out() -> int:
    """How many cases this process left to `./dev test --all`."""
    return _Run.left_out


def leave_out(cases: int) -> None:
    _Run.left_out += cases


def some(cases: Iterable[Case], most: int) -> list[Case]:
    """At most so many of the cases, evenly spaced: the first and the last are among them."""
    every = list(cases)
    if _Run.is_all or len(every) <= most:
        return every
    steps = max(most - 1, 1)
    chosen = [every[round(k * (len(every) - 1) / steps)] for k in range(most)]
    leave_out(len(every) - len(chosen))
    return chosen


def plus(cases: Iterable[Case], others: Iterable[Case]) -> list[Case]:
    """The cases, and the others only if the run takes all."""
    chosen, more = list(cases), list(others)
    if _Run.is_all:
        return chosen + more
    leave_out(len(more))
    return chosen


def crossed(*values: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Combinations in which each value is there once, and of three lists or more each pair."""
    lists = [list(each) for each in values]
    every = list(itertools.product(*lists))
    if _Run.is_all:
        return every
    chosen = _each_value(*lists) if len(lists) < 3 else _each_pair(lists)
    leave_out(len(every) - len(chosen))
    return chosen


def parametrize(names: str, *values: Iterable[Any]) -> pytest.MarkDecorator:
    """As pytest.mark.parametrize once for each name, but for combinations as `crossed` has them."""
    return pytest.mark.parametrize(names.replace(",", " ").split(), crossed(*values))


def examples(most: int, **options: Any) -> settings:
    """Settings of Hypothesis: as many random examples for all cases, a fifth of them for some."""
    count = most if _Run.is_all else max(min(most, LEAST), most // FEWER)
    return settings(max_examples=count, **options)


def _each_value(*lists: list[Any]) -> list[tuple[Any, ...]]:
    # The shorter list is shifted by one at each turn, so that no two values always go together.
    rows = range(max(map(len, lists))) if all(lists) else ()
    return [
        tuple(
            [each[(row + row // len(each) * (len(each) < len(rows))) % len(each)] for each in lists]
        )
        for row in rows
    ]


def _each_pair(lists: Sequence[list[Any]]) -> list[tuple[Any, ...]]:
    """Rows until each pair of values of two lists is in one; each row has as many new as it can."""
    places = [range(len(each)) for each in lists]
    wanted = {
        ((first, a), (second, b))
        for first, second in itertools.combinations(range(len(lists)), 2)
        for a, b in itertools.product(places[first], places[second])
    }
    rows = []
    while wanted:
        row = dict(min(wanted))
        for column in [k for k in range(len(lists)) if k not in row]:
            row[column] = max(
                places[column],
                key=lambda place: sum(
                    tuple(sorted(((column, place), other))) in wanted for other in row.items()
                ),
            )
        wanted -= set(itertools.combinations(sorted(row.items()), 2))
        rows.append(tuple([lists[column][row[column]] for column in range(len(lists))]))
    return rows
