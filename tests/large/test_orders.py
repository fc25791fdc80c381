"""Sorts, searches, sets and indexes over numbers whose order is known."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import (
    complex128,
    float16,
    float32,
    float64,
    int32,
    int64,
    uint8,
    uint16,
)
from dml_vk.kernels.plan import radix
from tests.large.test_rounds import modules_of, of_few_lanes


def with_chunks(profile):
    return dataclasses.replace(profile, sort_chunk=4096)


def shuffled(n):
    """0 to n - 1, a power of two, each once: an odd step goes through all of them."""
    return np.arange(n, dtype=np.int64) * 0x9E3779B1 % n


def test_every_kernel_of_orders(beyond, monkeypatch):
    """By fewer rounds, for runs are sorted in one, so that it takes half a billion elements."""
    beyond.lower(2**10)
    monkeypatch.setattr(radix, "SHORTEST", dict.fromkeys((1, 2, 4, 8), 2**32))

    def check(n):
        for dtype in (int32, float64):
            values = shuffled(n).astype(dtype.numpy_name)
            for x, dim in ((values, 0), (values.reshape(-1, 8), 0), (values.reshape(8, -1), 1)):
                given = dml_vk.asarray(x)
                expected = np.sort(x, axis=dim)
                assert np.array_equal(dml_vk.sort(given, axis=dim).numpy(), expected)
                places = dml_vk.argsort(given, axis=dim, descending=True)
                assert np.array_equal(places.numpy(), np.flip(np.argsort(x, axis=dim), dim))
            found = dml_vk.searchsorted(dml_vk.asarray(np.sort(values)), dml_vk.asarray(values))
            assert np.array_equal(found.numpy(), values.astype(np.int64))

    beyond.reach(check, [2**k for k in (12, 18, 20, 21)], modules_of("orders"))


def test_every_kernel_of_sorts_by_counting(beyond, monkeypatch):
    """In a profile that has them; places of 16 bits are found in another way from 2^24 on."""
    monkeypatch.setattr(beyond.encoder, "profile", with_chunks(beyond.encoder.profile))

    def check(n):
        for dtype in (uint8, uint16, int32, int64):
            values = shuffled(n).astype(dtype.numpy_name)
            given = dml_vk.asarray(values)
            assert np.array_equal(dml_vk.sort(given).numpy(), np.sort(values, kind="stable"))
            places = dml_vk.argsort(given)
            assert np.array_equal(places.numpy(), np.argsort(values, kind="stable"))

    beyond.reach(check, [2**k for k in (18, 20, 22, 23, 24)], of_few_lanes("digits"))


def test_every_kernel_of_gathers_and_scatters(beyond):
    def check(n):
        order = shuffled(n)
        for dtype in (uint8, float16, int32, float64):
            values = (order % 251).astype(dtype.numpy_name)
            x, at = dml_vk.asarray(values), dml_vk.asarray(order)
            assert np.array_equal(dml_vk.take(x, at).numpy(), values[order])
            assert np.array_equal(dml_vk.nonzero(x)[0].numpy(), np.flatnonzero(values))
            rows, columns = dml_vk.nonzero(dml_vk.reshape(x, (-1, 16)))
            assert np.array_equal((16 * rows + columns).numpy(), np.flatnonzero(values))
            for target in (dml_vk.zeros(n, dtype=dtype), dml_vk.zeros(2 * n, dtype=dtype)[::2]):
                target[at] = x
                assert np.array_equal(dml_vk.take(target, at).numpy(), values)
            wide = dml_vk.asarray(values.reshape(-1, 16))
            some = dml_vk.asarray(order[: n // 16] % (n // 16))
            assert np.array_equal(
                wide[some].numpy(), values.reshape(-1, 16)[order[: n // 16] % (n // 16)]
            )
            turned = dml_vk.zeros(wide.shape, dtype=dtype)
            turned[some] = wide[some]
            assert np.array_equal(turned[some].numpy(), wide[some].numpy())

    beyond.reach(check, [2**k for k in (12, 18, 20, 21, 22)], of_few_lanes("places"))


def test_every_kernel_that_visits_all_cells(beyond):
    """By fewer rounds, for one is a quad of cells."""
    beyond.lower(2**10)

    def check(n):
        order = shuffled(n)
        for dtype in (uint8, float16, int32, float64, complex128):
            values = (order % 251).astype(dtype.numpy_name)
            found = dml_vk.zeros(n, dtype=dtype)
            found[dml_vk.asarray(order)] = dml_vk.asarray(values)
            assert np.array_equal(found.numpy(), np.arange(n) % 251)

    beyond.reach(check, [2**k for k in (16, 18, 20)], modules_of("cells"))


@pytest.mark.parametrize("dtype", [float32, int64, uint16], ids=lambda dtype: dtype.name)
def test_one_row_beyond_what_floats_count(dtype):
    """2^24 + 5 elements, of which the dtype may hold few: so equal ones keep their order."""
    n = 2**24 + 5
    values = -np.arange(n, dtype=np.float32) if dtype is float32 else np.arange(n, 0, -1)
    values = values.astype(dtype.numpy_name)
    x = dml_vk.asarray(values)
    assert np.array_equal(dml_vk.sort(x).numpy(), np.sort(values))
    assert np.array_equal(dml_vk.argsort(x).numpy(), np.argsort(values, kind="stable"))


def test_sets_of_many():
    n = 2**24 + 77
    values = (np.arange(n) * 48271 % 1000003).astype(np.int32)
    found = dml_vk.unique_all(dml_vk.asarray(values))
    kinds, first, inverse, counts = np.unique(
        values, return_index=True, return_inverse=True, return_counts=True
    )
    for ours, theirs in zip(found, (kinds, first, inverse, counts)):
        assert np.array_equal(ours.numpy(), theirs)


def test_searches_among_many():
    """Whole numbers in order stand where they are; so does 2^24 + 1, which no float32 is."""
    n = 2**28
    ordered = dml_vk.arange(n, dtype="int32")
    asked = dml_vk.asarray([0, 1, 2**24 - 1, 2**24 + 1, n // 2 + 1, n - 1, n], "int32")
    assert dml_vk.searchsorted(ordered, asked).tolist() == asked.tolist()
    assert dml_vk.searchsorted(ordered, asked, side="right").tolist() == [
        min(one + 1, n) for one in asked.tolist()
    ]
    ones = dml_vk.ones(2**31 - 4096, dtype="int8")
    assert dml_vk.searchsorted(ones, dml_vk.asarray([0, 1, 2], "int8")).tolist() == [
        0,
        0,
        2**31 - 4096,
    ]
    asked = dml_vk.reshape(dml_vk.arange(2**25, dtype="int32"), (2**10, -1))
    found = dml_vk.searchsorted(ordered[: 2**20], asked)
    assert bool(dml_vk.all(found == dml_vk.astype(dml_vk.clip(asked, 0, 2**20), "int64")))
