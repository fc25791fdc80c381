"""Windows over a dim, beside a loop over all of their taps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dml_vk.windows import Window
from tests import tier

small = st.integers(0, 5)


@tier.examples(200)
@given(small.map(lambda n: n + 1), *[small.map(lambda n: n + 1)] * 3, small, small)
def test_runs_hold_each_tap_inside_once(size, taps, stride, dilation, before, after):
    dim = Window.fitted(size, taps, stride, dilation, (before, after))
    inside = {
        (tap, window)
        for tap in range(taps)
        for window in range(max(0, dim.count))
        if 0 <= window * stride + tap * dilation - before < size
    }
    found = [
        (tap, window)
        for run in dim.runs()
        for tap in range(run.tap, run.tap + run.taps)
        for window in range(run.first, run.first + run.count)
    ]
    assert len(found) == len(set(found))
    assert set(found) == inside
    assert [tap for run in dim.runs() for tap in range(run.tap, run.tap + run.taps)] == [
        *range(taps)
    ]


def test_without_padding_there_is_one_run():
    assert [run.taps for run in Window.fitted(9, 3, 1, 2).runs()] == [3]
