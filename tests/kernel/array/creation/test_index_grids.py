"""Indexes of diagonals, triangles and grids, and what slices are made into, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DmlVkError, DTypeError, LayoutError, RangeError
from tests import tier
from tests.chance import chance

TRIANGLES = ("tril_indices", "triu_indices")


def same(found, expected):
    """Of the same numbers, dtypes and shapes, one by one."""
    assert type(found) is type(expected) or not isinstance(expected, tuple)
    pairs = (
        zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    )
    for one, other in pairs:
        assert one.dtype.kind == other.dtype.kind
        assert one.shape == other.shape
        np.testing.assert_allclose(one.numpy(), other, 1e-6)


@pytest.mark.parametrize("name", TRIANGLES)
def test_triangles(name):
    shapes = ((4, None), (4, 6), (5, 2), (1, 1), (0, 3), (3, 0))
    for k, (n, m) in tier.crossed((-7, -2, -1, 0, 1, 3, 8, 2**70), shapes):
        expected = getattr(np, name)(n, min(k, 99), m)
        same(getattr(dml_vk, name)(n, k, m), expected)
        if m:
            x = dml_vk.ones((n, m))
            same(getattr(dml_vk, f"{name}_from")(x, min(k, 99)), expected)
    if name == "triu_indices" and not tier.is_all():
        return
    long = getattr(dml_vk, name)(301, 5, 70_001)  # beyond 2**24 elements
    assert long[0].size == len(getattr(np, name)(301, 5, 70_001)[0])
    assert [int(one[-1]) for one in long] == [
        int(one[-1]) for one in getattr(np, name)(301, 5, 70_001)
    ]


def test_diagonals_and_grids_of_indexes():
    same(dml_vk.diag_indices(3, 3), np.diag_indices(3, 3))
    same(dml_vk.diag_indices_from(dml_vk.ones((2, 2, 2))), np.diag_indices(2, 3))
    array = chance().normal(size=(4, 5, 3)).astype(np.float32)
    x, mask = dml_vk.asarray(array), np.array([True, False, True, True])
    for key in (([3, 0], [1, 1, 4], [2]), (mask, [0], [2, 1]), ([], [1], [2])):
        same(dml_vk.ix_(*key), np.ix_(*key))
        same(x[dml_vk.ix_(*key)], array[np.ix_(*key)])
        first = dml_vk.asarray(np.asarray(key[0], None if len(key[0]) else np.int64))
        same(np.ix_(first, *key[1:]), np.ix_(*key))


@pytest.mark.parametrize(
    "key",
    [np.s_[0:3], np.s_[0:3, 1:5:2], np.s_[-1:1:5j, 0:3], np.s_[0:1:0.25,], np.s_[2:2, 5:0:-2]],
)
def test_slices_as_grids(key):
    same(dml_vk.mgrid[key], np.mgrid[key])
    same(dml_vk.ogrid[key], np.ogrid[key])


def test_parts_that_are_joined():
    vector, matrix = np.arange(3), np.ones((2, 3), np.float32)
    x, y = dml_vk.asarray(vector), dml_vk.asarray(matrix)
    for text in ("0,2", "0,2,0", "0,2,-1", "1,3,1", "0,3,-2", "0,3,0", "0", "-1"):
        same(dml_vk.r_[text, x, x], np.r_[text, vector, vector])
    for text in ("0,3", "0,3,0", "0,3,1", "0,3,-1", "0,3,-2", "-1,4,1", "0,4,-3", "1"):
        same(dml_vk.r_[text, y, y], np.r_[text, matrix, matrix])
    same(dml_vk.r_[0, x, [4, 5], 6:8, -1:1:3j], np.r_[0, vector, [4, 5], 6:8, -1:1:3j])
    same(dml_vk.r_[1:3, 2.5], np.r_[1:3, 2.5])
    same(dml_vk.c_[x, x], np.c_[vector, vector])
    same(dml_vk.c_[y.T, x], np.c_[matrix.T, vector])
    same(dml_vk.c_[3, 4], np.c_[3, 4])
    assert dml_vk.r_[np.float64(2), dml_vk.ones(1)].dtype is dml_vk.float64


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: dml_vk.tril_indices(-1), RangeError, "tril_indices: n and m must not be negative"),
        (lambda: dml_vk.triu_indices_from(dml_vk.ones(3)), LayoutError, "must be a matrix"),
        (lambda: dml_vk.diag_indices(2, 65), RangeError, "ndim be from 0 to 64"),
        (lambda: dml_vk.diag_indices_from(dml_vk.ones((2, 3))), LayoutError, "all of one size"),
        (lambda: dml_vk.ix_(dml_vk.ones((2, 2), dtype="int64")), LayoutError, "must be 1-D"),
        (lambda: dml_vk.mgrid[3], DTypeError, "each part of the key must be a slice"),
        (lambda: dml_vk.ogrid[1:, 0:2], LayoutError, "a slice must have an end"),
        (lambda: dml_vk.r_["r", dml_vk.ones(1)], DTypeError, "a text must be of one to three"),
        (lambda: dml_vk.r_["0,3,5", dml_vk.ones(1)], LayoutError, "place of own dims"),
        (lambda: dml_vk.r_["3", dml_vk.ones(1)], DmlVkError, "r_: axis must be from -1 to 0"),
        (lambda: dml_vk.c_[()], LayoutError, "at least one part"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()
