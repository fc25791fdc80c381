"""Sorted complex numbers, in NumPy's order, and sets of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError
from dml_vk.layout import channels_last
from tests import tier
from tests.chance import chance
from tests.kernel.complex.numbers import (
    DTYPES,
    EITHER,
    INF,
    NAN,
    SPECIAL,
    assert_bits,
    part,
    usual,
)

# Ties, and NaN in either part.
FEW = [complex(a, b) for a in (0.0, -1.0, 2.5, NAN) for b in (1.0, -3.0, NAN)]


def drawn(dtype: str, sizes) -> np.ndarray:
    return chance().choice(np.array(FEW, dtype), sizes)


@pytest.mark.parametrize("dtype", EITHER)
@tier.examples(5)
@given(axis=st.integers(0, 3), size=st.sampled_from([1, 2, 5, 70]))
def test_sorts_are_numpys_and_stable(dtype, axis, size):
    array = drawn(dtype, (2, 3, size, 4))
    x = dml_vk.asarray(array, memory_format=channels_last)
    places = np.argsort(array, axis=axis, kind="stable")
    found = dml_vk.argsort(x, axis=axis)
    assert found.memory_format is channels_last
    assert np.array_equal(found.numpy(), places)
    assert_bits(dml_vk.sort(x, axis=axis).numpy(), np.take_along_axis(array, places, axis))
    # Descending, equal numbers keep their order too.
    back = np.flip(np.argsort(np.flip(array, axis), axis=axis, kind="stable"), axis)
    back = array.shape[axis] - 1 - back
    assert np.array_equal(dml_vk.argsort(x, axis=axis, descending=True).numpy(), back)
    values, indices = dml_vk.top_k(x, 1, axis=axis)
    assert np.array_equal(indices.numpy(), np.take(back, [0], axis))
    assert_bits(values.numpy(), np.take_along_axis(array, indices.numpy(), axis))
    assert_bits(np.sort(x, axis).numpy(), np.sort(array, axis))
    dml_vk.sort(x, axis=axis, out=x)
    assert_bits(x.numpy(), np.sort(array, axis))


@pytest.mark.parametrize("dtype", EITHER)
def test_partial_orders_and_several_keys(dtype):
    array = np.array([z for z in SPECIAL if z == z], dtype)[::-1].copy()
    x = dml_vk.asarray(array)
    assert_bits(dml_vk.partition(x, 3).numpy(), np.sort(array, kind="stable"))
    assert dml_vk.argpartition(x, 3).tolist() == np.argsort(array, kind="stable").tolist()
    other = drawn(dtype, array.shape)
    found = dml_vk.lexsort((x, dml_vk.asarray(other)))
    assert found.tolist() == np.lexsort((array, other)).tolist()


@tier.parametrize("axis dtype", [None, 0, (1, 2)], EITHER)
def test_medians(dtype, axis):
    array = usual(dtype, (3, 4, 5), 1)
    lost = array.copy()
    lost[1, 2, 3], lost[0, 0] = complex(1, NAN), complex(NAN, 0)
    for values in (array, lost) if tier.is_all() else (lost,):
        x = dml_vk.asarray(values)
        found, expected = dml_vk.median(x, axis=axis).numpy(), np.median(values, axis)
        assert found.dtype == dtype
        assert np.array_equal(np.isnan(found), np.isnan(expected))
        assert np.allclose(found[~np.isnan(found)], expected[~np.isnan(expected)], rtol=1e-6)
        found, expected = dml_vk.nanmedian(x, axis=axis).numpy(), np.nanmedian(values, axis)
        assert np.allclose(found, expected, rtol=1e-6, equal_nan=True)
    assert np.isnan(dml_vk.median(dml_vk.zeros(0, dtype)).item())


@pytest.mark.parametrize("dtype", EITHER)
def test_sets(dtype):
    array, other = drawn(dtype, (3, 4)), drawn(dtype, 5)
    x, y = dml_vk.asarray(array), dml_vk.asarray(other)
    for invert in (False, True):
        found = dml_vk.isin(x.T, y, invert=invert)
        assert np.array_equal(found.numpy(), np.isin(array.T, other, invert=invert))
    assert dml_vk.isin(x, y[:0]).tolist() == np.isin(array, other[:0]).tolist()
    out = dml_vk.empty((3, 4), "bool")
    assert dml_vk.isin(x, dml_vk.asarray([0, 2.5]), out=out) is out
    assert not out.numpy().any()
    a, b = array[~np.isnan(array)], other[~np.isnan(other)]
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    for name in tier.some(("union1d", "setxor1d", "setdiff1d"), 2):
        assert_bits(getattr(dml_vk, name)(x, y).numpy(), getattr(np, name)(a, b))
    found = dml_vk.intersect1d(x, y, return_indices=True)
    for one, expected in zip(found, np.intersect1d(a, b, return_indices=True)):
        assert one.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", EITHER)
def test_distinct_values_with_nan_come_last(dtype):
    array = np.array([complex(0, NAN), 5, complex(NAN, 1), 1j, complex(0, NAN)], dtype)
    found = dml_vk.unique(dml_vk.asarray(array))
    assert_bits(found.numpy(), np.array([1j, 5, complex(0, NAN)], dtype))
    found = dml_vk.unique(dml_vk.asarray(array), equal_nan=False)
    assert_bits(found.numpy(), np.array([1j, 5, *[complex(0, NAN)] * 2, complex(NAN, 1)], dtype))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: dml_vk.searchsorted(x, x),
        lambda x: dml_vk.quantile(x, 0.5),
        lambda x: dml_vk.nanpercentile(x, 5),
        lambda x: dml_vk.digitize(x, dml_vk.asarray([1.0])),
        lambda x: dml_vk.nn.softmax(x),
        lambda x: dml_vk.bincount(x),
        lambda x: dml_vk.histogram(x),
    ],
)
def test_what_needs_a_size_says_so(call):
    with pytest.raises(DTypeError, match=r": dtype must be (one of|real)"):
        call(dml_vk.asarray([1j, 2]))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_limits_are_numpys(dtype):
    array = chance().integers(-2, 3, (4, 6, 5, 2)).astype(part(dtype)).view(dtype)[..., 0]
    array[0, 0, 0] = complex(np.nan, 1)
    x, row = dml_vk.asarray(array), array[1, 2]
    for low, high in ((-1, 1j), (None, 0), (-1j, None), (row, 2), (row, row + 1)):
        mine = [dml_vk.asarray(one) if isinstance(one, np.ndarray) else one for one in (low, high)]
        found = dml_vk.clip(x, *mine).numpy()
        expected = np.clip(array, low, high)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@tier.parametrize(
    "name dtype",
    ["max", "min", "ptp", "argmax", "argmin", "nanmax", "nanmin", "nanargmax", "nanargmin"],
    DTYPES,
)
def test_extremes_are_numpys(name, dtype):
    array = chance().integers(-2, 3, (4, 6, 5, 2)).astype(part(dtype)).view(dtype)[..., 0]
    array[0, 0] = array[0, 1]  # ties
    for spoilt in (False, True):
        if spoilt:
            array[1, 2, 3], array[2, 4, 0] = complex(NAN, 1), complex(2, NAN)
            array[3, 1, 1:3] = complex(INF, -1), complex(-INF, INF)
        for axis in (None, 0, 1, -1, (0, 2)):
            if axis == (0, 2) and "arg" in name:
                continue
            expected = np.asarray(getattr(np, name)(array, axis=axis))
            for x in (dml_vk.asarray(array), dml_vk.asarray(array.T.copy()).permute(2, 1, 0)):
                found = getattr(np, name)(x, axis=axis).numpy()
                assert found.shape == expected.shape
                np.testing.assert_array_equal(found, expected, err_msg=str((axis, spoilt)))
    x = dml_vk.asarray(array)
    if "arg" not in name:
        expected = getattr(dml_vk, name)(x, 1)
        out = dml_vk.empty((4, 5), dtype)
        assert getattr(dml_vk, name)(x, 1, out=out) is out
        assert_bits(out.numpy(), expected.numpy())
        compiled = dml_vk.compile(lambda x: getattr(dml_vk, name)(x, 1))
        assert_bits(compiled(x).numpy(), expected.numpy())
