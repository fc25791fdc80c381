"""Which points of a transform are read and written in pairs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dml_vk.kernels.plan import fft
from dml_vk.kernels.plan.dims import Dim


def task(steps, strides, starts=(0, 0), captured=0):
    dims = [Dim(pair, 5) for pair in strides]
    return SimpleNamespace(steps=steps, dims=dims, outer=[], starts=starts, captured=captured)


@pytest.mark.parametrize(
    ("of", "side", "are"),
    [
        (task((2, 2), [(8, 8), (64, 64)]), 0, True),
        (task((2, 2), [(8, 8), (64, 64)]), 1, True),
        (task((2, 2), [(8, 8), (66, 64)]), 0, False),
        (task((2, 2), [(8, 8)], starts=(2, 4)), 0, False),
        (task((2, 2), [(8, 8)], starts=(2, 4)), 1, True),
        (task((8, 8), [(2, 2), (64, 64)]), 0, True),  # the step takes the place of the first stride
        (task((8, 8), [(2, 2), (64, 64)]), 1, False),
        (task((8, 8), [(2, 2), (64, 64)], captured=1), 0, False),
    ],
)
def test_pairs_of_points_start_at_multiples_of_four_numbers(of, side, are):
    assert fft._in_twos(of, side) is are
