"""Scans by workgroups, as on a GPU: the same bits as by invocations, in any layout."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import float32, float64, int64
from dml_vk.kernels.plan import scan as planning
from dml_vk.kernels.plan.scan import EXCLUSIVE, INCLUSIVE, MAXIMUM, MINIMUM, PRODUCT, SUM
from dml_vk.layout import Layout
from dml_vk.ops.scan import scan_elements
from dml_vk.testing.scans import scan
from tests import tier
from tests.chance import chance
from tests.kernel.ops.test_scan import EXTREMES, FUNCTIONS, WAYS, check, values_of
from tests.kernel.profiled import profiled
from tests.kernel.tensors import assert_same
from tests.profiles import GPU, H200

TILE = 64 * 64


@pytest.fixture(autouse=True)
def teams(monkeypatch):
    """Rows of any length are scanned by workgroups."""
    monkeypatch.setattr(planning, "_SHORT", 0)
    with profiled(dml_vk.device(), GPU):
        yield


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_every_dtype_along_rows_and_across_them(way):
    cases = (((3, 70), 1), ((TILE + 1, 8), 0)), (((2, TILE + 1), 1), ((70, 9), 0))
    for turn, pair in enumerate(cases):
        if tier.is_all() or turn == WAYS.index(way) % 2:
            for sizes, dim in pair:
                check(way, Layout(sizes), Layout(sizes), dim)


@pytest.mark.parametrize("kind", ["float32", "float64", "int64"])
def test_every_operator_and_form(kind):
    operators = {**FUNCTIONS, **EXTREMES}
    for operator, form in tier.crossed(operators, (INCLUSIVE, EXCLUSIVE)):
        for sizes, dim in (((3, 130), 1), ((130, 9), 0)):
            check((kind, kind), Layout(sizes), Layout(sizes), dim, operator, form)


def test_every_length_round_blocks_and_tiles():
    lengths = (1, 31, 32, 33, 64, 65, 129, TILE - 1, TILE, TILE + 1, 7919, 16 * TILE + 1)
    for length in tier.plus(lengths, (2, 3, 63, 127, 128, 1031, 2049, 2 * TILE)):
        check(("float32", "float32"), Layout((2, length)), Layout((2, length)), 1)
        check(("int32", "int64"), Layout((length, 9)), Layout((length, 9)), 0)


def test_numbers_of_rows_round_those_of_a_workgroup():
    for count in tier.plus((1, 8, 9, 32, 33, 257), (7, 31, 64, 65)):
        check(("float32", "float32"), Layout((count, 40)), Layout((count, 40)), 1)
        check(("float32", "float32"), Layout((100, count)), Layout((100, count)), 0)


def test_layouts():
    """Gaps, steps back, broadcast elements, odd addresses and more dims than there are quads of."""
    way, long = ("float32", "float32"), TILE + 3
    for source, target, dim in (
        (Layout((3, long), (long + 9, 1), 1), Layout((3, long)), 1),
        (Layout((3, long), (long, -1), long - 1), Layout((3, long), (2 * long, 2)), 1),
        (Layout((3, long), (0, 1)), Layout((3, long), (1, 3)), 1),
        (Layout((3, long), (1, 0)), Layout((3, long), (-long, -1), 3 * long - 1), 1),
        (Layout((131, 16), (20, 1)), Layout((131, 16), (-17, 1), 17 * 130), 0),
        (Layout((131, 16), (1, 131)), Layout((131, 16)), 0),
        (Layout((131, 3, 5), (15, 1, 3)), Layout((131, 3, 5)), 0),
        (Layout((2, 2, 67, 2, 2, 2)), Layout((2, 2, 67, 2, 2, 2), order=(5, 1, 0, 4, 3, 2)), 2),
    ):
        check(way, source, target, dim)
        check(("uint8", "int32"), source, target, dim)


@pytest.mark.parametrize("profile", [H200, dataclasses.replace(GPU, max_invocations=64)])
def test_workgroups_of_other_sizes(profile):
    with profiled(dml_vk.device(), profile):
        for sizes, dim in (((5, 4097), 1), ((4097, 40), 0), ((100, 300), 0), ((9, 300), 1)):
            check(("float32", "float32"), Layout(sizes), Layout(sizes), dim, PRODUCT)
            check(("float64", "float64"), Layout(sizes), Layout(sizes), dim, MAXIMUM)


@pytest.mark.parametrize("dtype", [float32, float64, int64], ids=str)
def test_a_workgroup_that_does_all_tiles_of_its_rows(dtype, monkeypatch):
    monkeypatch.setattr(planning, "_ALONE", 1)
    for sizes, dim in (((2, 3 * TILE + 5), 1), ((2 * TILE + 1, 9), 0)):
        x = values_of(dtype, sizes)
        found = dml_vk.cumulative_sum(dml_vk.asarray(x), axis=dim)
        assert_same(found, scan(np.add, x, dim))


@pytest.mark.product  # of 16 million elements, whose tiles have been added by turns above
def test_totals_of_more_tiles_than_one_holds():
    """Whose own totals a workgroup adds tile by tile: numbers of which no order is as good."""
    x = np.float32(chance().normal(size=TILE * TILE + 70))
    assert_same(dml_vk.cumulative_sum(dml_vk.asarray(x)), scan(np.add, x))


@pytest.mark.parametrize("operator", [SUM, MINIMUM])
def test_rows_in_place(operator):
    for sizes, dim in (((2, TILE + 9), 1), ((TILE + 9, 9), 0), ((5, 300), 1)):
        x = values_of(float32, sizes)
        tensor = dml_vk.asarray(x)
        scan_elements("test", operator, tensor, tensor, dim)
        assert_same(tensor, scan({**FUNCTIONS, **EXTREMES}[operator], x, dim))
