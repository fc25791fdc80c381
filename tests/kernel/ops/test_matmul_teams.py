"""Products that workgroups do together, as on a GPU: the bits of the reference from any layouts."""

from __future__ import annotations

import dataclasses

import pytest

import dml_vk
from dml_vk.dtypes import float32
from dml_vk.kernels.plan import matmul as planning
from dml_vk.kernels.plan import team_tiles
from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.ops import matmul as operation
from dml_vk.runtime import encode
from tests import tier
from tests.kernel.matrices import every_other, packed, turned
from tests.kernel.planned import planned
from tests.kernel.products import LYING, adds, check
from tests.kernel.profiled import profiled
from tests.real_dtypes import DTYPES

SIZES = ((67, 131, 71), (64, 64, 128), (33, 17, 36), (23, 20, 100), (65, 67, 30))
DEPTHS = (16, 17, 63, 65, 4096, 4097)


@pytest.fixture
def plans(monkeypatch):
    return planned(monkeypatch, operation, "plan_matmul")


def team_profile(**named):
    """By which workgroups do tiles together, and these are large."""
    given = {"coalesces": True, "units_wanted": 1, **named}
    return dataclasses.replace(dml_vk.device().profile, **given)


@pytest.mark.parametrize("dtype", [float32, DTYPES["float16"], DTYPES["uint8"], DTYPES["int32"]])
def test_tiles_of_workgroups(plans, dtype):
    whole = dtype is float32 or tier.is_all()
    # Of kinds of layouts all, or the first and the last; sizes that are read in every way.
    sizes, lying = (SIZES, LYING) if whole else (SIZES[:4], LYING[::3])
    with profiled(dml_vk.device(), team_profile()):
        for (m, k, n), (first, second) in tier.crossed(sizes, lying):
            check(first(m, k), second(k, n), None, dtype, (m, k, n, first, second))
        check(every_other(20, 40), every_other(40, 36), every_other(20, 36), dtype, "steps")
        narrow = packed(21, 37).narrow(1, 1, 36), packed(37, 24).narrow(0, 1, 36)
        check(*narrow, packed(21, 25).narrow(1, 1, 24), dtype, "off by one")
        if whole:
            check(packed(2, 1, 21, 70), packed(3, 70, 40), turned(2, 3, 21, 40), dtype, "batches")
            check(packed(20, 40).flip((0, 1)), packed(40, 36).flip(0), None, dtype, "reversed")
        else:
            tier.leave_out(2)
    assert all(made.plan.by_teams for made in plans)
    assert {plan.plan.spec[12] for plan in plans} == {0, 1, 2}
    assert {plan.plan.spec[11] for plan in plans} == {0, 1}


@pytest.mark.parametrize("tile", team_tiles.TILES, ids=str)
def test_each_tile_of_workgroups_on_both_sides_of_its_sizes(plans, monkeypatch, tile):
    monkeypatch.setattr(team_tiles, "TILES", (tile,))
    m, n, terms = tile.rows, tile.columns, tile.terms
    with profiled(dml_vk.device(), team_profile(max_invocations=1024, max_shared_bytes=2**15)):
        check(packed(m - 1, RUN + 1), packed(RUN + 1, n + 1), told="one short, one beyond")
        check(turned(m + 1, 2 * terms), turned(2 * terms, n - 1), told="one beyond, one short")
        check(packed(m, terms), turned(terms, n), turned(m, n), told="a single step")
        check(turned(m, terms + 1), packed(terms + 1, n), told="one more term")
    assert {made.plan.path for made in plans} == {f"tile team by {tile}"}
    assert {made.plan.spec[0] for made in plans} == {tile.lanes}


def test_tiles_of_workgroups_have_all_depths(plans):
    with profiled(dml_vk.device(), team_profile()):
        for depth in DEPTHS:
            check(packed(21, depth), turned(depth, 36), told=depth)
    assert {made.plan.sizes[-1] for made in plans if made.plan.by_teams} >= {16, 17, 63, 65}


def test_tiles_of_workgroups_are_added_to_sums(plans, monkeypatch):
    monkeypatch.setattr(planning, "_MOST_PARTIAL", 0)
    monkeypatch.setattr(encode, "MAX_SUBMISSION_NS", 1.0)  # each unit is a dispatch
    with profiled(dml_vk.device(), team_profile()):
        for dtype in (float32, DTYPES["int32"]):
            check(packed(70, RUN**2 + 20), packed(RUN**2 + 20, 68), None, dtype, dtype)
            check(packed(21, RUN**2 + 19), packed(RUN**2 + 19, 67), None, dtype, dtype)
    assert {adds(made.plan) for made in plans if made.plan.by_teams} == {0, 1}


ROWS = {
    "matrix by column": (packed(35, 516), packed(516, 1), None),
    "row by matrix": (packed(1, 1024), turned(1024, 67), None),
    "no quads": (packed(9, 1001), packed(1001, 1), None),
    "a vector with steps": (packed(9, 516), every_other(516, 1), None),
    "off by one": (packed(9, 517).narrow(1, 1, 516), packed(517, 1).narrow(0, 1, 516), None),
    "batch": (packed(2, 3, 5, 516), packed(3, 516, 1), turned(2, 3, 5, 1)),
    "a run for each invocation of a row": (packed(9, 2048), packed(2048, 1), None),
    "one more term": (packed(9, 2049), packed(2049, 1), None),
    "as many terms as there may be": (packed(3, 4096), packed(4096, 1), every_other(3, 1)),
    "more": (packed(3, 4100), packed(4100, 1), None),
}


@pytest.mark.parametrize("bytes_shared", [2**15, 2**14])
def test_rows_of_workgroups(plans, bytes_shared):
    with profiled(
        dml_vk.device(), team_profile(max_invocations=1024, max_shared_bytes=bytes_shared)
    ):
        for name, (a, b, to) in ROWS.items():
            check(a, b, to, told=name)
            assert any(made.plan.module == "matmul_row_float32" for made in plans), name
            if name == "off by one":
                check(a, b, to, DTYPES["float16"], name)
            plans.clear()


def test_rows_of_workgroups_are_added_to_sums(plans, monkeypatch):
    monkeypatch.setattr(planning, "_MOST_PARTIAL", 0)
    with profiled(dml_vk.device(), team_profile()):
        check(packed(5, RUN**2 + 600), packed(RUN**2 + 600, 1))
    assert [adds(made.plan) for made in plans[-2:]] == [0, 1]
    assert {made.plan.module for made in plans[-2:]} == {"matmul_row_float32"}


def test_workgroups_add_no_rows_whose_terms_are_apart_or_few(plans):
    with profiled(dml_vk.device(), team_profile()):
        check(packed(1, 516), packed(516, 9))
        check(packed(9, 508), packed(508, 1))
        check(packed(9, 516), packed(516, 2))
        check(packed(9, 516), packed(516, 1), dtype=DTYPES["int32"])
    assert not any("row" in made.plan.module for made in plans)


def test_workgroups_do_no_tiles_of_small_products(plans):
    with profiled(dml_vk.device(), team_profile()):
        for m, k, n in ((19, 64, 64), (64, 15, 64), (64, 64, 19)):
            check(packed(m, k), packed(k, n))
    assert not any(made.plan.by_teams for made in plans)
