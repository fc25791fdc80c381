"""The public reductions: what they make, take and refuse."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import float16, float32, float64, int8, int32, int64, uint8, uint64
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError, RangeError
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.layout import Layout, channels_last
from dml_vk.testing.reductions import tree_sum
from tests import tier

FLOATS = (float16, float32, float64)
SIZES = (3, 5, 4)
AXES = (None, -1, (2, 0), ())


def values(dtype, sizes=SIZES, seed=0):
    return np.random.default_rng(seed).normal(size=sizes).astype(dtype.numpy_name)


def mean_of(array, axis, keepdims):
    """The documented sum, divided in float32 or float64 and rounded once."""
    kind = np.float64 if array.dtype == np.float64 else np.float32
    sums = tree_sum(array, axis, keepdims=keepdims, dtype=kind)
    with np.errstate(all="ignore"):
        return sums / kind(array.size // max(1, sums.size) if array.size else 0)


def var_of(array, axis, correction, keepdims):
    kind = np.float64 if array.dtype == np.float64 else np.float32
    off = array.astype(kind) - mean_of(array, axis, True)
    sums = tree_sum(off * off, axis, keepdims=keepdims)
    with np.errstate(all="ignore"):
        return sums / kind(max(0, array.size / max(1, sums.size) - correction))


def same(found, wanted):
    """Bit for bit, but for NaNs."""
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert np.array_equal(found, wanted, equal_nan=found.dtype.kind == "f")


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_means_and_spreads(dtype):
    array = values(dtype)
    x = dml_vk.asarray(array)
    by_turns = AXES[1:] if dtype is float64 else AXES[:2]
    for axis in AXES if tier.is_all() or dtype is float32 else by_turns:
        keepdims = axis == -1
        found = dml_vk.mean(x, axis=axis, keepdims=keepdims).numpy()
        same(found, mean_of(array, axis, keepdims).astype(array.dtype))
        wanted = var_of(array, axis, 1, keepdims)
        found = dml_vk.var(x, axis=axis, correction=1, keepdims=keepdims).numpy()
        same(found, wanted.astype(array.dtype))
        found = dml_vk.std(x, axis=axis, correction=1, keepdims=keepdims).numpy()
        same(found, np.sqrt(wanted).astype(array.dtype))


def test_spreads_are_numpys():
    array = values(float32, (7, 1000)) + np.float32(100)
    x = dml_vk.asarray(array)
    wide = array.astype(np.float64)
    assert np.allclose(dml_vk.var(x, axis=1).numpy(), wide.var(1), rtol=1e-5)
    assert np.allclose(dml_vk.std(x, correction=2.5).numpy(), wide.std(ddof=2.5), rtol=1e-6)
    assert np.isnan(dml_vk.var(x, axis=(), correction=3).numpy()).all()


def test_keepdims_and_formats():
    image = Layout.packed((2, 3, 4, 5), channels_last)
    x = dml_vk.full(image.sizes, 1.0, float32).to(channels_last)
    assert dml_vk.sum(x, axis=1, keepdims=True).layout.order == (0, 2, 3, 1)
    assert dml_vk.mean(x, axis=(2, 3), keepdims=True).shape == (2, 3, 1, 1)
    assert dml_vk.mean(x, axis=(2, 3), keepdims=True).memory_format is channels_last
    assert dml_vk.max(x, axis=0).layout.order == (1, 2, 0)
    assert dml_vk.max(x, axis=0).layout.is_packed
    assert dml_vk.sum(x, axis=1).layout == Layout((2, 4, 5))
    assert dml_vk.argmax(x, keepdims=True).shape == (1, 1, 1, 1)
    for function in (dml_vk.sum, dml_vk.std, dml_vk.any, dml_vk.count_nonzero):
        assert function(x).shape == ()


def test_dtypes_that_come_out():
    for dtype, wanted in ((int8, int64), (uint8, uint64), (int64, int64), (float16, float16)):
        assert dml_vk.sum(dml_vk.full((2,), 1, dtype)).dtype is wanted
    assert dml_vk.sum(dml_vk.asarray([True, True, False])).item() == 2
    many = dml_vk.full((1000,), 127, int8)
    for name, wanted in (("int8", 127 * 1000 % 256 - 256), ("uint8", 24), ("int32", 127000)):
        expected = np.full(1000, 127, np.int8).sum(dtype=name)
        found = dml_vk.sum(many, dtype=name)
        assert found.dtype.name == name
        assert found.item() == expected
        assert name != "int32" or expected == wanted
    assert dml_vk.prod(dml_vk.asarray([2, 3]), dtype=int32).dtype is int32


def test_sums_in_other_dtypes():
    halves = values(float16, (500,))
    same(
        dml_vk.sum(dml_vk.asarray(halves), dtype=float32).numpy(), tree_sum(halves, dtype="float32")
    )
    floats = values(float32, (500,))
    found = dml_vk.sum(dml_vk.asarray(floats), dtype=float64).numpy()
    same(found, tree_sum(floats, dtype="float64"))
    wide = values(float64, (500,))
    found = dml_vk.sum(dml_vk.asarray(wide), dtype="float32").numpy()
    same(found, tree_sum(wide).astype(np.float32))
    whole = np.arange(-20, 30, dtype=np.int16)
    assert dml_vk.sum(dml_vk.asarray(whole), dtype=float16).item() == whole.sum()
    assert dml_vk.sum(dml_vk.asarray(whole), dtype=float64).item() == whole.sum()
    assert dml_vk.sum(dml_vk.asarray([1.75, -2.5]), dtype=int32).item() == -1


def test_out():
    array = values(float32)
    x = dml_vk.asarray(array)
    room = dml_vk.full((4, 7), 5.0, float32)
    out = room.over(Layout((3, 4), (1, 7), 2))
    for function in (dml_vk.sum, dml_vk.mean, dml_vk.std, dml_vk.max):
        assert function(x, axis=1, out=out) is out
        same(out.numpy(), function(x, axis=1).numpy())
    left = room.numpy().T
    assert (left[[0, 1, 5, 6]] == 5).all()
    kept = dml_vk.empty((3, 1, 4), float32)
    same(
        dml_vk.var(x, axis=1, keepdims=True, out=kept).numpy(),
        dml_vk.var(x, axis=1, keepdims=True).numpy(),
    )
    first = x.over(x.layout.select(0, 0))
    for function in (dml_vk.mean, dml_vk.std, dml_vk.sum):
        x = dml_vk.asarray(array)
        first = x.over(x.layout.select(0, 0))
        wanted = function(x, axis=0).numpy()
        same(function(x, axis=0, out=first).numpy(), wanted)
    with pytest.raises(
        LayoutError, match=r"^sum: out must have the shape \(3, 4\); got out=\(4, 3\)"
    ):
        dml_vk.sum(x, axis=1, out=dml_vk.empty((4, 3), float32))
    with pytest.raises(DTypeError, match=r"^mean: out must have the dtype float32"):
        dml_vk.mean(x, out=dml_vk.empty((), float64))


def test_nothing_is_copied():
    x = dml_vk.asarray(values(float32, (4, 6, 5, 3)))
    views = [x, x.over(x.layout.permute(3, 1, 0, 2)), x.over(x.layout.flip((0, 2)))]
    with dml_vk.trace(strict=True):
        for view in views:
            for axis in (None, 1, (0, 2)):
                dml_vk.sum(view, axis=axis)
                dml_vk.std(view, axis=axis)
                dml_vk.max(view, axis=axis)
        dml_vk.argmin(views[1], axis=2)
        back = dml_vk.asarray(values(float32, (90, 130)))
        back = back.over(back.layout.flip((0, 1)))
        same(dml_vk.sum(back).numpy(), tree_sum(back.numpy()))
        assert dml_vk.argmax(back).item() == back.numpy().argmax()


def test_empty():
    x = dml_vk.empty((0, 3), float32)
    assert dml_vk.sum(x).item() == 0
    assert dml_vk.prod(x, axis=0).tolist() == [1, 1, 1]
    assert dml_vk.sum(x, axis=1).shape == (0,)
    assert dml_vk.max(x, axis=1).shape == (0,)
    assert np.isnan(dml_vk.mean(x, axis=0).numpy()).all()
    assert np.isnan(dml_vk.var(x).numpy())
    assert dml_vk.all(x).item()
    assert not dml_vk.any(x).item()
    assert dml_vk.count_nonzero(x, axis=0).tolist() == [0, 0, 0]
    for name in [name for name, row in REDUCTIONS.items() if row.nothing is None]:
        with pytest.raises(RangeError, match=rf"^{name}: zero-size reduction has no identity"):
            getattr(dml_vk, name)(x, axis=0)


def test_zeros_and_nans():
    x = dml_vk.asarray([[0.0, -0.0, np.nan], [-0.0, 0.0, 1.0]])
    assert np.signbit(dml_vk.max(x, axis=0).numpy()[:2]).tolist() == [False, False]
    assert np.signbit(dml_vk.min(x, axis=0).numpy()[:2]).tolist() == [True, True]
    assert dml_vk.argmax(x, axis=0).tolist() == [0, 0, 0]
    assert dml_vk.argmin(x, axis=1).tolist() == [2, 0]
    assert dml_vk.any(x, axis=1).tolist() == [True, True]
    assert dml_vk.argmax(dml_vk.asarray([False, True, True])).item() == 1
    assert np.signbit(dml_vk.sum(dml_vk.full((20,), -0.0, float32)).numpy())


@pytest.mark.parametrize("kind", ["bool", "uint8", "int32", "int64"])
def test_means_of_integers_and_bools(kind):
    array = (np.arange(1, 61) * 7 % 11).reshape(3, 4, 5).astype(kind)
    for made in (array, array[::-1, :, ::2]):
        x = dml_vk.asarray(made)
        for axis in (None, 1, (0, 2)):
            found = dml_vk.mean(x, axis=axis, keepdims=True)
            assert found.dtype is float32
            sums = np.sum(made, axis, keepdims=True).astype(np.float32)
            expected = sums / np.float32(made.size // sums.size)
            assert np.array_equal(found.numpy(), expected)
    assert np.isnan(dml_vk.mean(dml_vk.zeros((0, 2), dtype=kind), axis=0).numpy()).all()
    out = dml_vk.empty(())
    assert dml_vk.mean(dml_vk.asarray(array), out=out) is out
    with pytest.raises(DTypeError, match=r"^mean: out must have the dtype float32"):
        dml_vk.mean(dml_vk.asarray(array), out=dml_vk.empty((), "float64"))


def test_what_is_refused():
    x = dml_vk.asarray(values(float32))
    for axis, error in (
        (3, LayoutIndexError),
        ((0, -3), LayoutError),
        ("a", LayoutError),
        (1.5, LayoutError),
    ):
        for name in ("sum", "mean", "std", "max", "any", "argmax"):
            with pytest.raises(error, match=f"^{name}: .*axis"):
                getattr(dml_vk, name)(x, axis=axis)
    with pytest.raises(
        LayoutError, match=r"^argmin: axis must be an integer or None.*axis=\(0, 1\)"
    ):
        dml_vk.argmin(x, axis=(0, 1))
    with pytest.raises(DTypeError, match=r"^sum: dtype must be one of .*bool_"):
        dml_vk.sum(dml_vk.asarray([1]), dtype=bool)
    with pytest.raises(DTypeError, match=r"^max: keepdims must be a bool; got keepdims=1"):
        dml_vk.max(x, keepdims=1)
    for correction in ("1", None, 1j, 10**400):
        with pytest.raises(DTypeError, match=r"^var: correction must be a real number"):
            dml_vk.var(x, correction=correction)
    for name in ("sum", "count_nonzero", "argmax", "std"):
        with pytest.raises(DTypeError, match=f"^{name}: x must be a Tensor"):
            getattr(dml_vk, name)([1.0])


def test_a_number_has_the_axes_that_numpy_gives_it():
    array = np.array(-2.5, np.float32)
    x = dml_vk.asarray(array)
    for name in [name for name, row in REDUCTIONS.items() if row.numpy and row.method]:
        for axis in (0, -1):
            found = getattr(np, name)(x, axis=axis)
            assert (found.shape, found.item()) == ((), getattr(np, name)(array, axis=axis))
        with pytest.raises(LayoutIndexError, match="there are none"):
            getattr(dml_vk, name)(x, axis=1)


def test_dtypes_that_a_reduction_does_not_take(monkeypatch):
    for name in ("all", "prod"):
        row = dataclasses.replace(REDUCTIONS[name], dtypes="iu")
        monkeypatch.setitem(REDUCTIONS, name, row)
        x = dml_vk.ones((1, 2, 1, 3, 1), "float16")
        with pytest.raises(
            DTypeError, match=rf"^{name}: dtype must be one of .*; got dtype=.*float16"
        ):
            getattr(dml_vk, name)(x)
