"""`overlaps` is exact: checked by counting addresses, and on layouts too large to count."""

from __future__ import annotations

import itertools
import random

import pytest

from dml_vk.layout import Layout, channels_last
from dml_vk.strides import address


@pytest.mark.parametrize(
    ("sizes", "strides", "overlaps"),
    [
        ((), (), False),
        ((0, 3), (0, 0), False),
        ((1, 3), (0, 1), False),
        ((2, 3), (0, 1), True),
        ((2, 3), (3, 1), False),
        ((2, 3), (2, 1), True),
        ((3, 4), (2, 3), False),
        ((2, 3), (3, 2), False),  # interleaved, and no address twice
        ((3, 3), (2, 3), False),
        ((4, 3), (2, 3), True),
        ((5, 5), (7, -7), True),
        ((3, 3, 3), (1, 3, 9), False),
        ((3, 3, 3), (1, 3, 8), True),
        ((2, 2, 2), (1, 2, 3), True),
        ((2, 2, 2), (3, 5, 6), False),
        ((2, 2, 2), (3, 5, 8), True),
    ],
)
def test_by_hand(sizes, strides, overlaps):
    layout = Layout(sizes, strides, 50)
    assert layout.overlaps is overlaps
    assert (len(set(layout.offsets())) < layout.numel) is overlaps


def test_every_small_layout():
    strides = (0, 1, 2, 3, 4, 5, 7, -2)
    checked = 0
    for sizes in [(2, 3), (4, 4), (2, 2, 3), (3, 3, 2), (2, 2, 2, 2)]:
        for steps in itertools.product(strides, repeat=len(sizes)):
            layout = Layout(sizes, steps, 40)
            assert layout.overlaps == (len(set(layout.offsets())) < layout.numel), layout
            checked += layout.overlaps
    assert checked > 1000


def test_random_layouts_with_few_coincidences():
    rng = random.Random(0)
    answers = []
    for _ in range(3000):
        rank = rng.randrange(2, 7)
        sizes = [rng.randrange(1, 5) for _ in range(rank)]
        layout = Layout(sizes, [rng.randrange(1, 400) for _ in range(rank)])
        answers.append(layout.overlaps)
        assert answers[-1] == (len(set(layout.offsets())) < layout.numel), layout
    assert 300 < sum(answers) < 2700


def test_common_layouts_are_decided_without_a_search(monkeypatch):
    def no_search(dims):
        raise AssertionError(f"a search of {dims}")

    monkeypatch.setattr(address, "_differences", no_search)
    packed = Layout.packed((32, 3, 224, 224), channels_last)
    views = [packed, packed.slice(2, 0, None, 2), packed.narrow(1, 0, 2).flip(2, 3)]
    views += [packed.select(0, 1), packed.permute(3, 1, 0, 2), Layout((9, 8, 7), (999, 90, 11))]
    views += [Layout((2,) * 20), Layout((5000, 7000), (6999, 5003)), Layout((7, 9, 1), (9, 7, 5))]
    assert not any(view.overlaps for view in views)
    windows = Layout((3, 300, 300)).unfold(1, 3, 1).unfold(2, 3, 1)
    assert windows.overlaps
    assert Layout((50, 60, 70), (11, 13, 17)).overlaps  # more indexes than addresses


@pytest.mark.parametrize(
    ("sizes", "strides", "overlaps"),
    [
        # Packed, padded and sliced: settled without a search.
        ((65536, 65535), (65535, 1), False),
        ((1 << 20, 1 << 20, 1 << 20), (1 << 41, 1 << 20, 1), False),
        ((1 << 20, 1 << 20), ((1 << 20) - 1, 1), True),
        ((1 << 30, 1 << 30), ((1 << 30) + 1, 1 << 30), False),
        (((1 << 30) + 1, (1 << 30) + 2), ((1 << 30) + 1, 1 << 30), True),
        # Three long dims of strides without a common rhythm.
        ((1000, 1000, 1000), (1_000_003, 998_244_353, 1_000_000_007), False),
        ((1625, 1625, 1625), (1_000_000, 1_001_001, 1_002_003), True),
        # Eight dims: d = (1, 1, -1, 0...) is the only coincidence of the first.
        ((2,) * 8, (101, 1009, 1110, 10007, 100003, 1000003, 10000019, 100000007), True),
        ((2,) * 8, (101, 1009, 1111, 10007, 100003, 1000003, 10000019, 100000007), False),
    ],
)
def test_large_layouts(sizes, strides, overlaps):
    assert Layout(sizes, strides).overlaps is overlaps
