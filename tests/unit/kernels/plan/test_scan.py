"""Scans by workgroups: how many launches they take, and how many workgroups do them."""

from __future__ import annotations

import dataclasses

import pytest

from dml_vk.dtypes import float32, float64
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.scan import EXCLUSIVE, INCLUSIVE, SUM, Passes, Scan, plan_scan
from dml_vk.layout import Layout
from tests.profiles import GPU, H200


def planned(sizes, dim, dtype=float32, profile=H200, form=INCLUSIVE, of_totals=False) -> Passes:
    return planned_in(Layout(sizes), dim, dtype, profile, form, of_totals)


def planned_in(layout, dim, dtype, profile, form, of_totals=False) -> Passes:
    kind, sizes = "float" if dtype is float32 else "double", layout.sizes
    operands = [(layout.strides, 0, dtype.itemsize)] * 2
    scan = Scan(kind, SUM, form, dtype.code)
    return plan_scan(scan, sizes, operands, dim, profile, of_totals)


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("profile", [GPU, H200], ids=["GPU", "H200"])
def test_three_launches_suffice_for_any_length(dtype, profile):
    for length in (4097, 2**16, 2**24 - 1, 2**24, 2**32 // dtype.itemsize):
        for sizes, dim in (((length,), 0), ((length // 8, 8), 0), ((4, length // 4), 1)):
            passes = planned(sizes, dim, dtype, profile)
            if sizes[dim] <= 4096:
                assert passes.totals is None
                continue
            assert passes.totals is not None
            assert passes.sizes[passes.dim] == -(-sizes[dim] // 4096)
            totals = planned(passes.sizes, passes.dim, dtype, profile, EXCLUSIVE, of_totals=True)
            assert totals.totals is None
            for plan in (passes.totals, totals.last, passes.last):
                assert plan.by_teams == (plan.path != "row" and plan.path != "columns")
                assert plan.unit_rounds <= rounds.MOST


def test_rows_that_keep_a_device_busy_take_one_launch():
    for sizes, dim, workgroups in (
        ((2**20, 64), 1, 2**14),  # 64 rows of a block
        ((2**14, 4096), 1, 2**14),
        ((2**12, 2**16), 1, 2**12),  # of 16 tiles
        ((64, 2**20), 0, 2**12),  # 256 columns of a block
        ((2**13, 2**15), 0, 2**10),  # 32 columns of two tiles
    ):
        passes = planned(sizes, dim)
        assert (passes.totals, passes.last.units) == (None, workgroups)
        assert passes.last.by_teams


def test_others_scan_by_invocations():
    """Short rows, more dims than a launch takes, and devices without teams."""
    few = dataclasses.replace(H200, max_invocations=32)
    apart = Layout((2,) * 7 + (67,), (*[301 * 3**k for k in range(7, 0, -1)], 4))
    for passes in (
        planned((2**20, 16), 1),
        planned_in(apart, 7, float32, H200, INCLUSIVE),
        planned((2**20,), 0, profile=few),
    ):
        assert not passes.last.by_teams
