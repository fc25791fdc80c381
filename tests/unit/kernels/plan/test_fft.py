"""Which points of a transform are read and written in pairs."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from dml_vk.kernels.plan import fft
from dml_vk.kernels.plan.dims import Dim
from dml_vk.kernels.plan.fft_sides import team_points
from dml_vk.kernels.plan.fft_stages import passes_of, radices_of
from dml_vk.kernels.plan.tasks import Operand
from tests.profiles import CPU, GPU


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


H200 = dataclasses.replace(GPU, max_invocations=1024, max_shared_bytes=48 << 10, subgroup=32)


def plans(rows, n, itemsize, profile):
    side = Operand((2 * n, 2, 1), 0, itemsize)
    team = team_points((rows,), side, side, profile)
    transform = fft.Transform(side, side, fft.Ends(), profile)
    passes = passes_of(radices_of(n, itemsize), itemsize, team, False)
    return [fft.plan_pass((rows,), n, stages, transform) for stages in passes]


@pytest.mark.parametrize(
    ("n", "itemsize", "launches"),
    [
        *((1024, 4, 1), (2048, 4, 1), (3000, 4, 1), (4095, 4, 1), (4096, 4, 1), (4116, 4, 2)),
        *((2187, 4, 2), (1024, 8, 1), (2048, 8, 1), (3072, 8, 1), (4096, 8, 2)),
    ],
)
def test_a_workgroup_of_an_h200_keeps_a_transform_of_up_to_48_kib(n, itemsize, launches):
    of = plans(4096, n, itemsize, H200)
    assert len(of) == launches
    for plan in of:
        values = dict(zip(fft._BY_NAME["fft_team"].spec, plan.spec))
        points, lanes = values["KEPT"], values["LANES"]
        assert points * 2 * itemsize <= H200.max_shared_bytes
        assert points <= lanes * 16
        assert lanes <= H200.max_invocations


def test_points_that_are_not_adjacent_leave_room_for_neighbours():
    side = Operand((2, 8192, 1), 0, 4)
    assert team_points((64,), side, side, H200) == 1024
    assert team_points((64,), side, side, CPU) == 0
