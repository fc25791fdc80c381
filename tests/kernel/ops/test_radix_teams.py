"""Sorting by workgroups, as on a GPU: the same order and bits as NumPy's stable sort."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import float16, float32, int64, uint16
from dml_vk.kernels.plan import radix
from dml_vk.kernels.plan.radix import SHORTEST_BY_TEAMS, TEAM_ELEMENTS
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits
from tests.kernel.ops.test_sort import check, order, special
from tests.kernel.profiled import profiled
from tests.profiles import GPU
from tests.real_dtypes import DTYPES

TILE = GPU.max_invocations * TEAM_ELEMENTS


@pytest.fixture(autouse=True)
def teams(monkeypatch):
    """Rows of any length are sorted by workgroups."""
    monkeypatch.setattr(radix, "SHORTEST_BY_TEAMS", dict.fromkeys(SHORTEST_BY_TEAMS, 1))
    with profiled(dml_vk.device(), GPU):
        yield


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=lambda dtype: dtype.name)
def test_every_dtype_in_rows_of_one_tile_and_of_several(dtype):
    rows = [(3, 641), (2, TILE + 1)]
    for sizes, descending in (
        zip(rows, (False, True)) if not tier.is_all() else tier.crossed(rows, (False, True))
    ):
        x = special(dtype, sizes)
        check(x, dml_vk.asarray(x), -1, descending)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
def test_rows_of_every_length_round_those_of_tiles(dtype):
    lengths = (1, 2, 127, 128, 129, TILE - 1, TILE, TILE + 1, 2 * TILE, 7919)
    for length in lengths:
        x = chance().integers(0, 1 + length // 3, (2, length)).astype(dtype)
        tensor = dml_vk.asarray(x)
        assert np.array_equal(dml_vk.argsort(tensor).numpy(), order(x, -1)), length
        assert np.array_equal(dml_vk.sort(tensor).numpy(), np.sort(x)), length


@pytest.mark.parametrize("invocations", [256, 64])
def test_workgroups_of_other_sizes(invocations):
    others = dataclasses.replace(GPU, max_invocations=invocations)
    with profiled(dml_vk.device(), others):
        tile = invocations * TEAM_ELEMENTS  # of which 16 and 17 are counted in other ways
        for length in (16 * tile, 16 * tile + 1, 2**16 + 1):
            x = chance().integers(0, 2**16, length).astype(np.int32) - 2**15
            tensor = dml_vk.asarray(x)
            assert np.array_equal(dml_vk.sort(tensor).numpy(), np.sort(x))
            assert np.array_equal(dml_vk.argsort(tensor).numpy(), order(x, 0))


def test_one_digit_has_all_elements():
    for x in (np.zeros(2 * TILE + 1, np.int32), np.full(2 * TILE + 1, -1, np.int32)):
        assert np.array_equal(dml_vk.argsort(dml_vk.asarray(x)).numpy(), np.arange(x.size))


def test_nothing_else_is_written():
    """Results in part of a tensor, whole words and parts of words, round which there is more."""
    for dtype in (float32, float16, int64):
        x = special(dtype, (3, TILE + 7))
        out = dml_vk.ones((5, TILE + 20), dtype=dtype)
        dml_vk.sort(dml_vk.asarray(x), out=out[1:4, 5 : TILE + 12])
        expected = np.ones(out.shape, dtype.numpy_name)
        expected[1:4, 5 : TILE + 12] = np.take_along_axis(x, order(x, 1), 1)
        assert np.array_equal(bits(out.numpy()), bits(expected))


def test_places_that_do_not_fit_a_word_together_with_a_digit(monkeypatch):
    monkeypatch.setattr(radix, "MOST_JOINED", 100)
    for dtype in (uint16, float16):
        x = special(dtype, (2, 101))
        check(x, dml_vk.asarray(x), 1, True)


def test_what_is_composed_of_sorts():
    x = chance().integers(0, 500, (3, TILE)).astype(np.float32)
    tensor = dml_vk.asarray(x)
    found = dml_vk.unique(tensor, True, True, True)
    for one, expected in zip(found, np.unique(x, True, True, True)):
        assert np.array_equal(one.numpy(), expected.reshape(one.shape))
    assert np.array_equal(dml_vk.median(tensor, axis=1).numpy(), np.median(x, 1))
    values, where = dml_vk.top_k(tensor, 7)
    assert np.array_equal(where.numpy(), order(x, 1, descending=True)[:, :7])
    assert np.array_equal(values.numpy(), np.take_along_axis(x, where.numpy(), 1))
