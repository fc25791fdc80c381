"""Statistics that leave NaN out, beside NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError, RangeError
from dml_vk.layout import channels_last
from dml_vk.testing.reductions import tree_sum
from tests import tier
from tests.kernel.forms import few_forms, mixed

AXES = (None, 0, -1, (0, 2), (1,), (), (2, 1, 0))
FLOATS = tier.some(("float32", "float16", "float64"), 2)
CLOSE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-13}
SPREAD = ("nanmean", "nanvar", "nanstd")
EXACT = ("nanmax", "nanmin")


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def holes(dtype, sizes=(4, 3, 5)):
    """With slices along each axis that are NaN all over, and infinities."""
    array = mixed(dtype, sizes, nan=0.3)
    array[0], array[:, 0], array[..., 1] = np.nan, np.nan, np.nan
    array[1, 2, 3], array[2, 2, 4] = np.inf, -np.inf
    return array


def check(found, expected, rtol=0.0):
    expected = np.asarray(expected)
    assert (found.shape, found.dtype.numpy_name) == (expected.shape, expected.dtype.name)
    assert np.allclose(found.numpy(), expected, rtol=rtol, atol=0, equal_nan=True)


@tier.parametrize("dtype name", FLOATS, EXACT)
def test_extremes(name, dtype):
    array = holes(dtype)
    cases, k = tier.crossed(AXES, (False, True)), FLOATS.index(dtype) % 2
    for turn, (axis, keepdims) in enumerate(cases if tier.is_all() else cases[k::2]):
        for x in few_forms(array, turn):
            expected = getattr(np, name)(array, axis=axis, keepdims=keepdims)
            check(getattr(dml_vk, name)(x, axis, keepdims=keepdims), expected)


@tier.parametrize("dtype name", FLOATS, ["nansum", "nanprod"])
def test_sums_and_products(name, dtype):
    array = np.where(np.isinf(holes(dtype)), 1.5, holes(dtype)).astype(dtype)
    nothing, k = np.array(name == "nanprod", dtype), FLOATS.index(dtype) % 2
    for turn, axis in enumerate(AXES if tier.is_all() else AXES[k::2]):
        for x in few_forms(array, turn):
            found = getattr(dml_vk, name)(x, axis, keepdims=True)
            wide = getattr(np, name)(array.astype(np.float64), axis=axis, keepdims=True)
            check(found, wide.astype(dtype), CLOSE[dtype] * 4)
            if name == "nansum":
                filled = np.where(np.isnan(array), nothing, array)
                assert np.array_equal(found.numpy(), tree_sum(filled, axis, keepdims=True))
    found = getattr(dml_vk, name)(dml_vk.asarray(array), dtype="float32")
    check(found, getattr(np, name)(array.astype(np.float64)).astype(np.float32), 1e-5)


@tier.parametrize("dtype name", FLOATS, SPREAD)
def test_means_and_spreads(name, dtype):
    array = holes(dtype)
    options = [{}] if name == "nanmean" else [{}, {"ddof": 1}, {"ddof": 2.5}]
    for turn, (axis, given) in enumerate(tier.crossed(tier.some(AXES, 3), options)):
        for x in few_forms(array, turn):
            wide = array.astype(np.float64)
            expected = getattr(np, name)(wide, axis=axis, keepdims=True, **given)
            found = getattr(dml_vk, name)(x, axis, keepdims=True, **given)
            check(found, expected.astype(dtype), CLOSE[dtype] * 4)
            assert found.layout.order == dml_vk.sum(x, axis, keepdims=True).layout.order
    some = np.float32([[1, np.nan, 4], [np.nan] * 3, [5, np.nan, np.nan]])
    if name != "nanmean":
        for less in (0, 1, 2):
            found = getattr(dml_vk, name)(dml_vk.asarray(some), 1, correction=less)
            check(found, getattr(np, name)(some, 1, ddof=less), 1e-6)


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
def test_scans(name):
    for k, dtype in enumerate(FLOATS):
        array = mixed(dtype, (3, 4, 5), nan=0.4)
        for turn, axis in enumerate((None, 0, -1)):
            if turn == k and not tier.is_all():
                continue
            expected = getattr(np, name)(array.astype(np.float64), axis).astype(dtype)
            for x in few_forms(array, turn):
                found = getattr(dml_vk, name)(x, axis).numpy()
                assert found.shape == expected.shape
                assert np.allclose(found, expected, rtol=CLOSE[dtype] * 9, atol=CLOSE[dtype])
    whole = mixed("int8", (3, 4))
    x = dml_vk.asarray(whole)
    check(getattr(dml_vk, name)(x), getattr(np, name)(whole))
    check(getattr(dml_vk, name)(x, 1, dtype="int32"), getattr(np, name)(whole, 1, dtype=np.int32))
    out = dml_vk.zeros((3, 4), "int64")
    assert getattr(dml_vk, name)(x, 0, out=out) is out
    check(out, getattr(np, name)(whole, 0))


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_indexes_of_extremes(name):
    cases = tier.crossed((None, 0, 1, -1), (False, True))
    for k, dtype in enumerate(FLOATS):
        array = mixed(dtype, (4, 5, 6), nan=0.5)
        array[:, 0], array[1], array[..., 2] = 0.5, 0.5, -0.5
        for turn, (axis, keepdims) in enumerate(cases if tier.is_all() else cases[k % 2 :: 2]):
            for x in few_forms(array, turn):
                expected = getattr(np, name)(array, axis=axis, keepdims=keepdims)
                check(getattr(dml_vk, name)(x, axis, keepdims=keepdims), expected)
    sign = -1 if name == "nanargmax" else 1
    x = dml_vk.asarray([float("nan"), sign * float("inf"), sign * float("inf")])
    assert getattr(dml_vk, name)(x).item() == 1
    whole = mixed("uint16", (3, 4))
    check(getattr(dml_vk, name)(dml_vk.asarray(whole), 1), getattr(np, name)(whole, 1))
    match = rf"^{name}: a slice along axis is all NaN; got axis=1, shape=\(2, 2\)"
    with pytest.raises(RangeError, match=match):
        getattr(dml_vk, name)(dml_vk.asarray([[1.0, float("nan")], [float("nan")] * 2]), 1)
    with pytest.raises(LayoutError, match=rf"^{name}: axis must be an integer or None"):
        getattr(dml_vk, name)(dml_vk.zeros((2, 3)), (0, 1))
    with pytest.raises(RangeError, match=rf"^{name}: zero-size reduction has no identity"):
        getattr(dml_vk, name)(dml_vk.zeros((2, 0)), 1)


def test_nan_to_num_replaces_what_is_not_finite():
    special = np.array([np.nan, np.inf, -np.inf, 1.5, -0.0, 2e-7, -7])
    ways = (
        {},
        {"nan": 3},
        {"posinf": 9.5, "nan": np.inf},
        {"neginf": -1, "nan": -2.5},
        {"posinf": 0.5, "neginf": -np.inf},
        {"posinf": -np.inf, "neginf": np.inf},
    )
    for turn, (options, dtype) in enumerate(tier.crossed(ways, FLOATS)):
        array = np.tile(special.astype(dtype), 6).reshape(2, 3, 7)
        for x in few_forms(array, turn):
            found = dml_vk.nan_to_num(x, **options)
            check(found, np.nan_to_num(array, **options))
            assert np.array_equal(
                np.signbit(found.numpy()), np.signbit(np.nan_to_num(array, **options))
            )
            assert found.layout == x.layout.like()
    for dtype in ("bool", "int8", "uint64"):
        array = mixed(dtype, (3, 4))
        x = dml_vk.asarray(array)
        found = dml_vk.nan_to_num(x, nan=5)
        check(found, array)
        assert found.allocation is not x.allocation
    x = dml_vk.asarray(special)
    assert dml_vk.nan_to_num(x, nan=7, out=x) is x
    check(x, np.nan_to_num(special, nan=7))
    image = dml_vk.zeros((2, 3, 4, 5), memory_format=channels_last)
    assert dml_vk.nan_to_num(image).memory_format is channels_last
    with pytest.raises(DTypeError, match=r"^nan_to_num: posinf must be a real number"):
        dml_vk.nan_to_num(x, posinf="x")
    with pytest.raises(DTypeError, match=r"^nan_to_num: x must be a Tensor"):
        dml_vk.nan_to_num(1.0)


REDUCTIONS = ("nansum", "nanprod", *EXACT, *SPREAD)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_out_and_formats(name):
    function = getattr(dml_vk, name)
    for dtype in ("float16", "float32"):
        array = holes(dtype)
        x = dml_vk.asarray(array)
        room = dml_vk.full((5, 8), 7.0, dtype)
        assert function(x, 1, out=room[:, ::2].T).shape == (4, 5)
        expected = function(dml_vk.asarray(array), 1).numpy()
        assert np.array_equal(room[:, ::2].T.numpy(), expected, equal_nan=True)
        assert (room[:, 1::2].numpy() == 7).all()
        function(x, 1, out=x[:, 1])
        assert np.array_equal(x[:, 1].numpy(), expected, equal_nan=True)
    image = dml_vk.asarray(mixed("float32", (2, 3, 4, 5), nan=0.2), memory_format=channels_last)
    with dml_vk.trace(strict=True):
        assert function(image, 1, keepdims=True).memory_format is channels_last
    with pytest.raises(LayoutIndexError, match=rf"^{name}: axis must be from -4 to 3; got axis=4"):
        function(image, 4)
    with pytest.raises(LayoutError, match=rf"^{name}: out must have the shape \(\)"):
        function(image, out=image)
    with pytest.raises(DTypeError, match=rf"^{name}: x must be a Tensor"):
        function([1.0])


def test_integers_have_no_nan_to_leave_out():
    cases = tier.crossed(("int8", "uint32", "int64"), (None, 1, (0, 2)))
    for turn, (dtype, axis) in enumerate(cases):
        array = mixed(dtype, (3, 4, 5))
        for x in few_forms(array, turn):
            for name in ("nansum", "nanprod", *EXACT):
                check(getattr(dml_vk, name)(x, axis), getattr(np, name)(array, axis))
        found = dml_vk.nanmean(x, (0, 2))
        check(found, array.mean((0, 2)).astype(np.float32), 1e-6)
    assert dml_vk.nansum(dml_vk.asarray([True, True, False])).item() == 2
    assert dml_vk.nanmean(dml_vk.asarray([True, False])).item() == 0.5
    assert dml_vk.nanvar(dml_vk.asarray([1, 2])).item() == 0.25


def test_nothing():
    x = dml_vk.zeros((0, 3))
    for name in ("nansum", "nanprod", *SPREAD):
        for axis in (None, 0, 1):
            check(
                getattr(dml_vk, name)(x, axis),
                getattr(np, name)(np.zeros((0, 3), np.float32), axis),
            )
    for name in EXACT:
        with pytest.raises(RangeError, match=rf"^{name}: zero-size reduction has no identity"):
            getattr(dml_vk, name)(x, 0)


def test_many():
    array = mixed("float32", (1000, 1003), nan=0.1)
    x, wide = dml_vk.asarray(array), array.astype(np.float64)
    for axis, name in tier.crossed((None, 0, 1), (*EXACT, "nanargmax", "nanargmin", *SPREAD)):
        found = getattr(dml_vk, name)(x, axis)
        if name in SPREAD:
            expected = getattr(np, name)(wide, axis)
            assert np.allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6), (name, axis)
        else:
            check(found, getattr(np, name)(array, axis))
    check(dml_vk.nan_to_num(x), np.nan_to_num(array))
    total = np.nancumsum(wide, 0)
    assert np.allclose(dml_vk.nancumsum(x, 0).numpy(), total, rtol=1e-4, atol=1e-4)
