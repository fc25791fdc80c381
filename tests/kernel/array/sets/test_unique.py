"""NumPy's `unique`: all it returns, NaN once or each, and of rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutIndexError
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.forms import few_forms, mixed

DTYPES = ("float32", "int64", "int8", "uint16", "float16", "bool", "float64", "complex64")


def few(dtype, sizes, seed=0):
    """Few distinct values, NaNs of both signs and both zeros among those of floats."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "c":
        parts = few(np.zeros(1, dtype).real.dtype, (2, *sizes), seed)
        array = np.empty(sizes, dtype)
        array.real, array.imag = parts
        return array
    array = rng.integers(-2 if np.dtype(dtype).kind in "if" else 0, 3, sizes).astype(dtype)
    if array.dtype.kind == "f":
        array[array == 2] = np.nan
        array[array == 1] *= rng.choice([1, -1], (array == 1).sum())
        array[array == 0] *= rng.choice([1, -1], (array == 0).sum())
        array[rng.random(sizes) < 0.1] = -np.nan
    return array


def same(found, expected):
    assert found.dtype.numpy_name == expected.dtype.name
    assert found.shape == expected.shape
    for part in ("real", "imag"):  # of any two complex numbers with a NaN NumPy says they are equal
        one, other = getattr(found.numpy(), part), getattr(expected, part)
        assert np.array_equal(one, other, equal_nan=expected.dtype.kind in "fc")


@pytest.mark.parametrize("dtype", tier.some(DTYPES, 5))
def test_all_that_it_returns(dtype):
    some = tier.crossed(((3, 4, 5), (), (0, 2), (1,)), (True, False))
    cases, k = list(enumerate([*some, ((3, 4, 5), False)])), DTYPES.index(dtype) % 2
    for turn, (sizes, equal_nan) in cases if tier.is_all() else cases[k::2]:
        array = few(dtype, sizes) if sizes else np.array(1, dtype)
        for x in few_forms(array, turn):
            options = {"equal_nan": equal_nan}
            values, index, inverse, counts = np.unique(array, True, True, True, **options)
            parts = {
                "return_index": index,
                "return_inverse": inverse.reshape(sizes),
                "return_counts": counts,
            }
            same(dml_vk.unique(x, return_index=True, **options)[0], values)
            assert len(dml_vk.unique(x, **options)) == len(values)
            found = dml_vk.unique(x, True, True, True, **options)
            assert isinstance(found, tuple)
            for one, expected in zip(found, (values, *parts.values()), strict=True):
                same(one, expected)
            for name, expected in parts.items():
                same(dml_vk.unique(x, **{name: True}, **options)[1], expected)
    image = dml_vk.asarray(few(dtype, (2, 3, 4, 5)), memory_format=channels_last)
    assert dml_vk.unique(image, return_inverse=True)[1].memory_format is channels_last


def rows_of(array, axis):
    """A second way: rows as tuples of numbers, NaN above all, in a dict by their order."""
    moved = np.moveaxis(array, axis, 0)
    flat = moved.reshape(len(moved), -1) if moved.size else np.zeros((len(moved), 0))
    places = itertools.count(1)

    def key(row):
        if row.dtype.kind == "c":
            of = [((z.real != z.real, z.imag != z.imag), z.real, z.imag) for z in row.tolist()]
            parts = [one for which, x, y in of for one in (which, *key_of(x), *key_of(y))]
        else:
            parts = [one for value in row.tolist() for one in key_of(value)]
        return (*parts, next(places) if (row != row).any() else 0)

    def key_of(value):
        return (1, 0) if value != value else (0, value)

    keys = [key(row) for row in flat]
    order = sorted(set(keys))
    first = np.array([keys.index(one) for one in order], np.int64)
    inverse = np.array([order.index(one) for one in keys], np.int64)
    counts = np.array([keys.count(one) for one in order], np.int64)
    return np.take(array, first, axis), first, inverse, counts


@pytest.mark.parametrize("dtype", tier.some(DTYPES, 5))
def test_rows(dtype):
    sizes_of_all = ((30, 3), (5, 4, 3, 2))
    more = ((40, 2, 1), (7,), (20, 1), (9, 7), (1, 3))
    number = DTYPES.index(dtype)
    by_turns = (sizes_of_all[number % 2], more[number % len(more)])
    for sizes in sizes_of_all + more if tier.is_all() else by_turns:
        array = few(dtype, sizes, 4)
        axes = sorted({0, -1, len(sizes) // 2} if len(sizes) > 1 else {0})
        first = number // 2 % len(axes)
        for turn, axis in enumerate(axes if tier.is_all() else [axes[first]]):
            if len(sizes) > 1:
                expected = rows_of(array, axis)
            else:  # elements, of which all NaN are one
                expected = np.unique(array, True, True, True)
            for x in few_forms(array, turn):
                found = dml_vk.unique(x, True, True, True, axis)
                for one, wanted in zip(found, expected, strict=True):
                    same(one, wanted)
            if dtype == "float16":  # NumPy sorts such rows by something else
                continue
            numpys = np.unique(array, True, False, True, axis)
            for one, wanted in zip(found[:2] + found[3:], numpys, strict=True):
                same(one, wanted)


@pytest.mark.parametrize("equal_nan", [True, False])
def test_rows_with_nan_stay_apart(equal_nan):
    array = np.float32([[np.nan, 2], [2, 1], [np.nan, 1], [2, 1], [2, np.nan], [2, np.nan]])
    options = {"return_counts": True, "axis": 0, "equal_nan": equal_nan}
    found = dml_vk.unique(dml_vk.asarray(array), **options)
    for one, wanted in zip(found, np.unique(array, **options), strict=True):
        same(one, wanted)
    assert found[1].tolist() == [2, 1, 1, 1, 1]


def test_rows_of_nothing():
    for sizes, axis in (((0, 3), 0), ((3, 0), 0), ((0, 0), 1), ((2, 0, 3), 2)):
        found = dml_vk.unique(dml_vk.zeros(sizes), True, True, True, axis)
        expected = rows_of(np.zeros(sizes, np.float32), axis)
        for one, wanted in zip(found, expected, strict=True):
            same(one, wanted)


def test_formats():
    image = dml_vk.asarray(few("int8", (6, 3, 4, 5)), memory_format=channels_last)
    assert dml_vk.unique(image, axis=0).memory_format is channels_last


def test_many():
    times = 8 if tier.is_all() else 1
    array = mixed("float32", (times * 137_500,), nan=0.01).astype(np.float16)
    for one, wanted in zip(
        dml_vk.unique(dml_vk.asarray(array), True, True, True), np.unique(array, True, True, True)
    ):
        same(one, wanted)
    rows = np.random.default_rng(2).integers(0, 6, (times * 31_250, 5)).astype(np.int16)
    found = dml_vk.unique(dml_vk.asarray(rows), True, True, True, 0)
    values, index, inverse, counts = np.unique(rows, True, True, True, 0)
    for one, wanted in zip(found, (values, index, inverse.reshape(-1), counts)):
        same(one, wanted)


def test_errors():
    x = dml_vk.zeros((2, 3))
    with pytest.raises(DTypeError, match=r"^unique: x must be a Tensor"):
        dml_vk.unique([1])
    with pytest.raises(DTypeError, match=r"^unique: return_counts must be a bool"):
        dml_vk.unique(x, return_counts=3)
    with pytest.raises(LayoutIndexError, match=r"^unique: axis must be from -2 to 1"):
        dml_vk.unique(x, axis=2)
