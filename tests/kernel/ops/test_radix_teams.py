"""Sorting by workgroups, as on a GPU: the same order and bits as NumPy's stable sort."""

from __future__ import annotations

import dataclasses
import itertools

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


# Of one tile and of several, upwards and downwards.
ROWS = list(itertools.product([(3, 641), (2, TILE + 1)], (False, True)))


# Of each size of elements, of each kind of number: each kernel takes a driver a second. The keys of
# all dtypes are tested where single invocations sort.
SOME = ("int8", "float16", "float32", "float64", "uint32")
TYPES = [DTYPES[name] for name in tier.plus(SOME, sorted(DTYPES.keys() - SOME))]


@tier.parametrize("dtype rows", TYPES, ROWS)
def test_every_dtype_in_rows_of_one_tile_and_of_several(dtype, rows):
    sizes, descending = rows
    x = special(dtype, sizes)
    check(x, dml_vk.asarray(x), -1, descending)


CALLS = {"sort": np.sort, "argsort": lambda x: order(x, -1)}
LENGTHS = (1, 2, 127, 128, 129, TILE - 1, TILE, TILE + 1, 2 * TILE, 7919)
FEWER_LENGTHS = {np.uint8: (2, 129, TILE, 7919), np.int32: (1, 128, TILE + 1)}


@pytest.mark.parametrize("dtype", FEWER_LENGTHS)
def test_rows_of_every_length_round_those_of_tiles(dtype):
    fewer = FEWER_LENGTHS[dtype]
    lengths = tier.plus(fewer, [one for one in LENGTHS if one not in fewer])
    for length, call in tier.crossed(lengths, CALLS):
        x = chance().integers(0, 1 + length // 3, (2, length)).astype(dtype)
        found = getattr(dml_vk, call)(dml_vk.asarray(x)).numpy()
        assert np.array_equal(found, CALLS[call](x)), (length, call)


@pytest.mark.parametrize("invocations", [256, 64])
def test_workgroups_of_other_sizes(invocations):
    others = dataclasses.replace(GPU, max_invocations=invocations)
    with profiled(dml_vk.device(), others):
        tile = invocations * TEAM_ELEMENTS  # of which 16 and 17 are counted in other ways
        lengths = tier.some((16 * tile, 16 * tile + 1, 2**16 + 1), 2)
        for length, call in tier.crossed(lengths, CALLS):
            x = chance().integers(0, 2**16, length).astype(np.int32) - 2**15
            found = getattr(dml_vk, call)(dml_vk.asarray(x)).numpy()
            assert np.array_equal(found, CALLS[call](x)), (length, call)


def test_one_digit_has_all_elements():
    for x in (np.zeros(2 * TILE + 1, np.int32), np.full(2 * TILE + 1, -1, np.int32)):
        assert np.array_equal(dml_vk.argsort(dml_vk.asarray(x)).numpy(), np.arange(x.size))


def test_nothing_else_is_written():
    """Results in part of a tensor, whole words and parts of words, round which there is more."""
    for dtype in tier.some((float16, float32, int64), 2):
        x = special(dtype, (3, TILE + 7))
        out = dml_vk.ones((5, TILE + 20), dtype=dtype)
        dml_vk.sort(dml_vk.asarray(x), out=out[1:4, 5 : TILE + 12])
        expected = np.ones(out.shape, dtype.numpy_name)
        expected[1:4, 5 : TILE + 12] = np.take_along_axis(x, order(x, 1), 1)
        assert np.array_equal(bits(out.numpy()), bits(expected))


def test_places_that_do_not_fit_a_word_together_with_a_digit(monkeypatch):
    monkeypatch.setattr(radix, "MOST_JOINED", 100)
    for dtype in tier.some((uint16, float16), 1):
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
