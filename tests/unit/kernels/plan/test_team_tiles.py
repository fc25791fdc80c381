"""Which tile of workgroups a product has on which device."""

from __future__ import annotations

import dataclasses

import pytest

from dml_vk.dtypes import float32
from dml_vk.kernels.plan.matmul import KERNELS, partial_run, plan_matmul
from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.team_tiles import TILES, team_tile
from dml_vk.limits import MINIMUM
from tests.profiles import CPU, GPU, H200


def path(n, profile=H200, *, fma=False, turns=(False, False), times=1):
    """The path of a product of square matrices, whose sources may be transposed."""
    a, b = ((1, n) if turned else (n, 1) for turned in turns)
    strides = (n * n, a[0], 0, a[1]), (n * n, 0, b[1], b[0]), (n * n, n, 1)
    return product((times, n, n), min(n, RUN**2), strides, profile, fma=fma).plan


def product(sizes, depth, strides, profile=H200, *, fma=False):
    operands = [Operand(each, 0, 4) for each in strides]
    return plan_matmul(sizes, depth, operands, (float32,) * 3, profile, fma=fma)


def named(plan):
    return plan.path.removeprefix("tile team by ").removesuffix(", fused multiply-add")


SMALL, LARGE = "4x4 in 64x64x16", "8x8 in 128x128x32"


def test_small_products_have_many_small_tiles_and_large_ones_large_tiles():
    # These are what was fastest of all that were measured on an H200.
    assert {n: named(path(n)) for n in (512, 1024, 2048, 4096, 8192)} == {
        **dict.fromkeys((512, 1024), SMALL),
        **dict.fromkeys((2048, 4096, 8192), LARGE),
    }
    fused = {n: named(path(n, fma=True)) for n in (512, 1024, 2048, 4096, 8192)}
    assert fused == {
        512: SMALL,
        1024: "8x8 in 128x64x16",
        **dict.fromkeys((2048, 4096, 8192), LARGE),
    }


@pytest.mark.parametrize("turns", [(x, y) for x in (False, True) for y in (False, True)])
def test_a_tile_does_not_depend_on_how_sources_lie(turns):
    assert named(path(1024, turns=turns)) == SMALL
    assert named(path(2048, turns=turns)) == LARGE


def test_batches_count_as_one_product():
    assert named(path(128, times=512)) == LARGE
    assert named(path(128, times=4)) == SMALL
    assert named(path(64, times=4096)) == SMALL


def test_a_workgroup_is_a_tile_for_each_invocation():
    plan = path(4096)
    constants = dict(zip(KERNELS[0].spec, plan.spec))
    assert (plan.by_teams, plan.units) == (True, 32 * 32)
    assert (constants["LOCAL_SIZE"], constants["LANES"], constants["DEEP"]) == (256, 256, 32)
    assert constants["RAGGED"] == 0
    plan = path(1024)
    constants = dict(zip(KERNELS[0].spec, plan.spec))
    assert (plan.units, constants["LOCAL_SIZE"], constants["DEEP"]) == (16 * 16, 256, 16)


def test_few_processors_are_busy_with_large_tiles_sooner():
    few = dataclasses.replace(H200, processors=16)
    assert named(path(1024, few)) == LARGE


def test_a_tile_fits_the_limits_of_the_device():
    assert {tile.lanes for tile in TILES if tile.fits(MINIMUM)} == {64, 128}
    for limits in ({"max_shared_bytes": 16384}, {"max_invocations": 128}):
        assert named(path(4096, dataclasses.replace(H200, **limits))) != LARGE
    for profile in (GPU, H200):
        for tile in (
            team_tile(m, n, 1, 64, profile, fma=False) for m in (20, 5000) for n in (20, 5000)
        ):
            assert tile in [each for each in TILES if each.fits(profile)]


def test_few_invocations_do_no_tiles_together():
    few = dataclasses.replace(GPU, max_invocations=32)
    assert team_tile(100, 100, 1, 100, few, fma=False) is None
    assert path(100, few).path == "tile"


def test_each_piece_has_an_invocation():
    for tile in TILES:
        assert tile.rows * tile.terms // 4 % tile.lanes == 0
        assert tile.columns * tile.terms // 4 % tile.lanes == 0
        assert (RUN % tile.terms, tile.block[1] % 8) == (0, 0)
        assert all(count >= 32 and not count & count - 1 for count in (tile.rows, tile.columns))


def test_only_large_products_where_loads_coalesce():
    assert team_tile(20, 20, 1, 16, GPU, fma=False)
    for rows, columns, depth in ((19, 64, 64), (64, 19, 64), (64, 64, 15)):
        assert team_tile(rows, columns, 1, depth, GPU, fma=False) is None
    assert team_tile(4096, 4096, 1, 4096, CPU, fma=False) is None


def test_a_fused_product_of_a_workgroup_is_a_single_chain():
    levels = KERNELS[0].spec.index("LEVELS")
    assert [path(128, fma=fma).spec[levels] for fma in (False, True)] == [2, 1]
    assert path(128, CPU, fma=True).spec[levels] == 2


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("depth", [66_000, 262_144])
def test_parts_of_a_run_keep_all_processors_busy(turned, depth):
    first, second = ((1, 64), (64, 1)) if turned else ((depth, 1), (1, depth))
    strides = (first[0], 0, first[1]), (0, second[1], second[0]), (64, 1)
    planned = product((64, 64), RUN**2, strides)
    assert partial_run(planned, 64 * 64, depth, H200) == RUN
    few = dataclasses.replace(H200, processors=8)
    assert partial_run(planned, 64 * 64, 262_144, few) == RUN**2


def test_products_that_are_squares_are_one_dispatch():
    for n in (512, 1024, 2048, 4096):
        planned = product((n, n), n, ((n, 0, 1), (0, 1, n), (n, 1)))
        assert partial_run(planned, n * n, n, H200) == 0
        assert planned.plan.launches == ((0, 0, 0),)
