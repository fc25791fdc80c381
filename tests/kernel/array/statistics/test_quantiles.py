"""Medians and quantiles beside NumPy, with NaN and without."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dml_vk
from dml_vk.array.statistics.quantile_positions import CHOOSING, METHODS
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError, RangeError
from dml_vk.layout import channels_last, contiguous_format
from tests import tier
from tests.kernel.forms import few_forms, forms, mixed

FLOATS = tier.some(("float32", "float16", "float64"), 2)
AXES = (None, 1, -1, (0, 2), (2, 1, 0), ())
SHARES = (0.0, 1, 0.5, [0.3], [[0.0, 0.21, 0.5], [0.77, 0.999, 1.0]])
# An older NumPy takes the nearest element with an even index, where Hyndman and Fan count from 1.
NEW_NUMPY = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
NUMPYS = [one for one in METHODS if NEW_NUMPY or one != "closest_observation"]
# What rounding the two elements, their difference and its share may come to.
CLOSE = {"float16": 1e-3, "float32": 3e-7, "float64": 1e-15}


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def check(found, expected, dtype, close=True):
    """Beside NumPy's answer in float64, to what the dtype can hold of the elements' size."""
    expected = np.asarray(expected)
    assert (found.shape, found.dtype.numpy_name) == (expected.shape, dtype)
    most = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    atol = CLOSE[dtype] * most if close else 0
    assert np.allclose(found.numpy(), expected, rtol=0, atol=atol, equal_nan=True)


def wide(array):
    return array.astype(np.float64)


@tier.parametrize("dtype name", FLOATS, ["median", "nanmedian"])
def test_medians(name, dtype):
    cases = tier.crossed(((2, 7, 3), (2, 3, 4, 5)), (None, 1, (0, 2)))
    left_out = -1 if tier.is_all() else FLOATS.index(dtype)
    for turn, (sizes, axis) in enumerate(cases):
        if turn == left_out:
            continue
        array = mixed(dtype, sizes, nan=0.02 if name == "median" else 0.4)
        array[0, 0] = np.nan
        array[1, 0] = np.inf
        for x in few_forms(array, turn):
            found = getattr(dml_vk, name)(x, axis, keepdims=axis == 1)
            check(found, getattr(np, name)(wide(array), axis, keepdims=axis == 1), dtype)


@pytest.mark.parametrize("method", NUMPYS)
def test_methods(method):
    # The last has all shares; the kind of a fraction does not depend on the method.
    shares = SHARES if method == NUMPYS[0] else tier.plus(SHARES[-1:], SHARES[:-1])
    for dtype in FLOATS if tier.is_all() or method == NUMPYS[0] else ["float32"]:
        # Where an element is sought does not depend on the dtype.
        for count in tier.some((1, 2, 11, 6), 2) if dtype == "float32" else (6,):
            array = mixed(dtype, (count, 5))
            x, holes = dml_vk.asarray(array), array.copy()
            for q in shares:
                # NumPy 1.26 fails at the integer 1.
                share = np.multiply(q, 1.0)
                expected = np.quantile(wide(array), share, axis=0, method=method)
                found = dml_vk.quantile(x, q, 0, method=method)
                check(found, expected, dtype, method not in CHOOSING)
                found = dml_vk.percentile(x, np.multiply(q, 100), 0, method=method)
                check(
                    found, np.percentile(wide(array), np.multiply(q, 100), 0, method=method), dtype
                )
            holes[::3, :3] = np.nan
            holes[:, 0] = np.nan
            for q in shares:
                expected = np.nanquantile(wide(holes), np.multiply(q, 1.0), axis=0, method=method)
                found = dml_vk.nanquantile(dml_vk.asarray(holes), q, 0, method=method)
                check(found, expected, dtype, method not in CHOOSING)
                found = dml_vk.nanpercentile(dml_vk.asarray(holes), np.multiply(q, 100), 0)
                check(found, np.nanpercentile(wide(holes), np.multiply(q, 100), 0), dtype)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_axes_shapes_and_layouts(name):
    array = mixed("float32", (2, 3, 4, 5), nan=0.05)
    cases = tier.crossed(SHARES[2:], AXES, (False, True))
    for q, axis, keepdims in cases if tier.is_all() else cases[name == "quantile" :: 2]:
        # NumPy's `nanquantile` puts two dims of q at the wrong places.
        flat = q if np.ndim(q) < 2 else np.ravel(q)
        expected = getattr(np, name)(wide(array), flat, axis=axis, keepdims=keepdims)
        expected = expected.reshape((*np.shape(q), *expected.shape[np.ndim(flat) :]))
        # Kept dims are added to what is found, which is not of the layout.
        some = list(forms(array))
        some = some if tier.is_all() else [some[cases.index((q, axis, keepdims)) % len(some)]]
        for x in [dml_vk.asarray(array)] if keepdims else some:
            check(getattr(dml_vk, name)(x, q, axis, keepdims=keepdims), expected, "float32")


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_formats(name):
    function = getattr(dml_vk, name)
    image = dml_vk.asarray(mixed("float32", (2, 3, 4, 5)), memory_format=channels_last)
    with dml_vk.trace(strict=True):
        for axis in tier.some((None, 1, (2, 3), (0, 2, 3), (1, 2)), 3):
            found = function(image, 0.4, axis, keepdims=True)
            assert found.memory_format is channels_last
        assert function(image, 0.4, 1).memory_format is contiguous_format
        assert function(image, 0.4, 0).layout.order == (1, 2, 0)
        assert function(image, [0.4, 0.5], 0).layout.order == (0, 2, 3, 1)


def test_integers_and_bools():
    for dtype in ("bool", "int8", "uint32", "int64"):
        array = mixed(dtype, (5, 6))
        for name in ("median", "nanmedian"):
            found = getattr(dml_vk, name)(dml_vk.asarray(array), 0)
            check(found, np.median(wide(array), 0), "float32")
        for name in ("quantile", "nanquantile"):
            for method in NUMPYS if dtype == "int8" else tier.some(NUMPYS, 3):
                expected = np.quantile(wide(array), [0.3, 0.8], 1, method=method)
                found = getattr(dml_vk, name)(dml_vk.asarray(array), [0.3, 0.8], 1, method=method)
                assert found.dtype.numpy_name == (dtype if method in CHOOSING else "float32")
                assert np.allclose(wide(found.numpy()), expected, rtol=1e-6)
    large = np.array([2**62 + 1, 2**62 + 3, -(2**63)])
    assert dml_vk.quantile(dml_vk.asarray(large), 1, method="lower").item() == 2**62 + 3


def test_elements_keep_their_bits():
    x = dml_vk.asarray(np.float32([3e38, -3e38, 3e38, np.inf, -0.0]))
    assert dml_vk.median(x).item() == np.float32(3e38)
    assert dml_vk.median(x[:1]).item() == dml_vk.nanmedian(x[:1]).item() == np.float32(3e38)
    assert dml_vk.quantile(x, [0, 1]).tolist() == [np.float32(-3e38), np.inf]
    for name in ("median", "nanmedian"):
        assert np.signbit(getattr(dml_vk, name)(x[4:]).item())
        assert getattr(dml_vk, name)(dml_vk.asarray([1.0, np.inf])).item() == np.inf
    for name in ("quantile", "nanquantile"):
        twice = dml_vk.asarray([np.inf, np.inf, -np.inf])
        assert getattr(dml_vk, name)(twice, [0.75, 0]).tolist() == [np.inf, -np.inf]


def test_quantiles_take_every_kind_of_fraction():
    array = mixed("float32", (50,))
    x = dml_vk.asarray(array)
    expected = np.quantile(wide(array), [0.25, 0.5])
    halves = np.float16([0.25, 0.5])
    for q in (
        [0.25, 0.5],
        (0.25, 0.5),
        halves,
        dml_vk.asarray(halves),
        dml_vk.asarray(halves)[None],
    ):
        check(dml_vk.quantile(x, q).reshape(-1), expected, "float32")
    for one in (True, np.int64(1), np.array(1), dml_vk.asarray(1)):
        assert dml_vk.quantile(x, one).item() == array.max()
    for name in ("quantile", "nanquantile"):
        assert getattr(dml_vk, name)(x, []).shape == (0,)
        assert getattr(dml_vk, name)(x.reshape(5, 10), np.zeros((0, 2)), 0).shape == (0, 2, 10)


@pytest.mark.parametrize("name", ["median", "nanmedian", "quantile", "nanpercentile"])
def test_out(name):
    more = () if "median" in name else (0.25,)
    for dtype in FLOATS if tier.is_all() or name == "quantile" else ("float64",):
        array = mixed(dtype, (4, 6))
        x, expected = dml_vk.asarray(array), getattr(np, name)(wide(array), *more, axis=1)
        room = dml_vk.full((8,), 7.0, dtype)
        out = room[::-2]
        assert getattr(dml_vk, name)(x, *more, 1, out=out) is out
        check(out, expected, dtype)
        assert (room[::2].numpy() == 7).all()
        getattr(dml_vk, name)(x, *more, 1, out=x[:, 2])
        check(x[:, 2], expected, dtype)
    with pytest.raises(LayoutError, match=rf"^{name}: out must have the shape \(4,\)"):
        getattr(dml_vk, name)(x, *more, 1, out=x)
    with pytest.raises(DTypeError, match=rf"^{name}: out must have the dtype float64"):
        getattr(dml_vk, name)(x, *more, out=dml_vk.zeros(()))


def test_nothing():
    for name in ("median", "nanmedian"):
        for axis in (None, 0):
            expected = getattr(np, name)(np.zeros((0, 3)), axis)
            check(getattr(dml_vk, name)(dml_vk.zeros((0, 3)), axis), expected, "float32")
        assert getattr(dml_vk, name)(dml_vk.zeros((0, 3)), 1).shape == (0,)
    for name in ("quantile", "nanquantile"):
        function = getattr(dml_vk, name)
        assert function(dml_vk.zeros((0, 3)), [0.5, 0.2], 1).shape == (2, 0)
        for axis in (None, 0):
            with pytest.raises(RangeError, match=rf"^{name}: zero-size reduction has no identity"):
                function(dml_vk.zeros((0, 3)), 0.5, axis)


def test_many():
    array = mixed("float32", (1000, 1003), nan=0.001)
    x, whole = dml_vk.asarray(array), dml_vk.asarray(np.nan_to_num(array))
    for axis in (None, 0, 1):
        check(dml_vk.nanmedian(x, axis), np.nanmedian(wide(array), axis), "float32")
        check(dml_vk.median(x, axis), np.median(wide(array), axis), "float32")
        q = [0.001, 0.3, 0.9999]
        expected = np.quantile(wide(np.nan_to_num(array)), q, axis)
        check(dml_vk.quantile(whole, q, axis), expected, "float32")


def test_errors():
    x = dml_vk.zeros((2, 3))
    for name in ("quantile", "percentile", "nanquantile", "nanpercentile"):
        function, most = getattr(dml_vk, name), 100 if "percentile" in name else 1
        for q in (-0.01, most + 0.01, [0.5, np.nan], dml_vk.asarray([-1.0]), 10**400):
            with pytest.raises((RangeError, DTypeError), match=rf"^{name}: q must be "):
                function(x, q)
        for q in ("0.5", None, [[1], [1, 2]], 1j):
            with pytest.raises(DTypeError, match=rf"^{name}: q must be a real number, or a list"):
                function(x, q)
        for method in ("Linear", None, "inverted", []):
            with pytest.raises(RangeError, match=rf"^{name}: method must be one of linear, lower"):
                function(x, 0.5, method=method)
        with pytest.raises(DTypeError, match=rf"^{name}: x must be a Tensor"):
            function([1.0], 0.5)
        with pytest.raises(LayoutIndexError, match=rf"^{name}: axis must be from -2 to 1"):
            function(x, 0.5, 2)
        with pytest.raises(DTypeError, match=rf"^{name}: keepdims must be a bool"):
            function(x, 0.5, keepdims=3)
