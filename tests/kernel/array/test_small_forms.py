"""Small forms that programs written for NumPy and PyTorch use, each with the least of it."""

from __future__ import annotations

import copy
import dataclasses
import operator
import pickle

import numpy as np
import pytest

import dml_vk
from dml_vk import DeviceError, DTypeError, LayoutError, LayoutIndexError, RangeError
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.layout import channels_last
from dml_vk.runtime.device import Device
from dml_vk.tensor.core import Tensor
from dml_vk.testing.elementwise import cast
from dml_vk.testing.reductions import reference
from tests import tier
from tests.kernel.tensors import assert_same

A = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)
M = np.array([[2.5, -1.5, 3.0], [0.25, 0.75, -0.5]], np.float32)
I = np.array([[7, -8, 9], [-7, 5, 4]], np.int32)  # noqa: E741
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def test_numpys_scalars_are_compared_from_the_left():
    cases = [
        (np.float32(0.75), M),
        (np.float64(0.75), M),
        (np.float32(0.5), I),
        (np.int64(5), I),
        (np.uint8(5), I),
        (np.bool_(True), M > 0),
        (np.array(0.75), M),
    ]
    for compare, (number, array) in tier.crossed(COMPARISONS, cases):
        x = dml_vk.asarray(array)
        if array.dtype != bool or compare in (operator.eq, operator.ne):
            assert_same(compare(number, x), compare(number.item(), array))
            assert_same(compare(x, number), compare(array, number.item()))
        assert type(compare(np.float32(1), dml_vk.asarray(M))) is Tensor


EMPTY = np.array([], bool)


@pytest.mark.parametrize("array", [M, M[0], M[:1], M[:0], A], ids=lambda array: str(array.shape))
def test_masks_of_no_elements_select_nothing(array):
    x = dml_vk.asarray(array)
    masks = [(EMPTY,), (..., EMPTY), (None, EMPTY)]
    if array.ndim > 1:
        masks += [(np.zeros((0, 3), bool),), (slice(None), EMPTY)]
        masks += [(np.zeros((len(array), 0), bool),), ([], EMPTY)]
    for key in masks:
        expected = array[key]
        assert not expected.size
        on_device = tuple([dml_vk.asarray(p) if isinstance(p, np.ndarray) else p for p in key])
        for one in (key, on_device):
            assert_same(x[one], expected)
            x[one] = 7.0
            x[one] = dml_vk.ones((1,) * expected.ndim)
            x[one] = dml_vk.zeros(expected.shape)
            with pytest.raises(LayoutError, match="setitem: value must broadcast to shape"):
                x[one] = dml_vk.zeros((2, *expected.shape))
    assert_same(x, array)


def test_masks_of_no_elements_are_as_large_as_they_are_elsewhere():
    x = dml_vk.asarray(M)
    for shape in ((5, 0), (0, 4), (2, 3, 0), (3, 0)):
        with pytest.raises(IndexError):
            M[np.zeros(shape, bool)]
        for mask in (np.zeros(shape, bool), dml_vk.zeros(shape, bool)):
            with pytest.raises(
                LayoutIndexError, match=r"a mask at axis 0|too many indexes for 2 dims"
            ):
                x[mask]


def test_a_device_comes_out_of_a_pickle():
    device = dml_vk.device()
    for again in (pickle.loads(pickle.dumps(device)), copy.copy(device), copy.deepcopy(device)):
        assert again is device
    elsewhere = object.__new__(Device)  # of this name, where it stands at another place
    elsewhere.info = dataclasses.replace(device.info, index=7)
    assert pickle.loads(pickle.dumps(elsewhere)) is device
    elsewhere.info = dataclasses.replace(device.info, name="a device of another machine")
    with pytest.raises(
        DeviceError, match="must be a device's index or part of its name; got wanted='a devi"
    ):
        pickle.loads(pickle.dumps(elsewhere))


WIDE = np.array([1.1, -2.7, 300.0, 1e300, np.nan, -np.inf, 0.0, -0.0])
ASSIGNED = {
    "all": slice(None),
    "places": [7, 1, 0, 2, 3, 6, 5, 4],
    "mask": np.array([True, False] * 4),
    "mask on the device": dml_vk.asarray([True, False] * 4),
}


VALUES = {
    "an array": lambda array: array,
    "a tensor": dml_vk.asarray,
    "a number": lambda array: array[1],
    "a tensor of no dims": lambda array: dml_vk.asarray(array[1]),
    "an array of one": lambda array: array[:1],
    "a tensor of one": lambda array: dml_vk.asarray(array[:1]),
}


@tier.parametrize(
    "dtype where",
    ["float16", "float32", "float64", "int8", "int64", "uint8", "bool"],
    ASSIGNED,
)
def test_what_is_assigned_is_cast(dtype, where):
    key = ASSIGNED[where]
    numbers = np.array([1, -2, 300, 2**40, 0, 7, -(2**40), 5])
    with np.errstate(over="ignore"):
        halves = WIDE.astype(np.float16)
    given = [WIDE, halves, numbers, numbers.astype(np.uint8), numbers > 4]
    there = key.numpy() if isinstance(key, Tensor) else key
    cases, turn = tier.crossed(given, VALUES), np.dtype(dtype).itemsize % 8 > 1
    for array, form in cases if tier.is_all() else cases[turn::2]:
        value = VALUES[form](array[: np.arange(8)[there].size])
        x, expected = dml_vk.zeros(8, dtype), np.zeros(8, dtype)
        x[key] = value
        expected[there] = cast(np.asarray(value), dtype)
        assert_same(x, expected)


def test_the_smallest_assignments_that_are_cast():
    x = dml_vk.zeros(5)
    x[:3] = np.array([1.0, 2.0, 3.0])
    assert x.tolist() == [1, 2, 3, 0, 0]
    x[3:] = dml_vk.asarray(np.array([4.0, 5.5]))
    assert x.tolist() == [1, 2, 3, 4, 5.5]
    x[x > 3] = np.array([7])
    assert x.tolist() == [1, 2, 3, 7, 7]
    image = dml_vk.asarray(A, memory_format=channels_last)
    image[:, 1, ::-1] = 2.0 * A[:, 1].astype(np.float64)
    expected = A.copy()
    expected[:, 1, ::-1] = 2 * A[:, 1]
    assert_same(image, expected)
    assert image.memory_format is channels_last
    whole = dml_vk.asarray(I)
    whole[0] = np.float64(2.5)
    assert whole.tolist() == [[2, 2, 2], I[1].tolist()]
    for number in (2.5, [2.5, 1, 1], True + 0.5):
        with pytest.raises(DTypeError, match="setitem: cannot store a number of this kind"):
            whole[0] = number


THREE, HALF = dml_vk.asarray(3), dml_vk.asarray(0.5)
NUMBERS = {
    "full": (lambda n, t: dml_vk.full((2, 3), t), lambda n, t: np.full((2, 3), np.float32(t))),
    "full of ints": (lambda n, t: dml_vk.full(n, n), lambda n, t: np.full(n, n)),
    "full, cast": (
        lambda n, t: dml_vk.full((n, 2), t, "int8"),
        lambda n, t: np.full((n, 2), t).astype(np.int8),
    ),
    "full_like": (
        lambda n, t: dml_vk.full_like(dml_vk.asarray(I), t, dtype="float16"),
        lambda n, t: np.full_like(I, t, dtype=np.float16),
    ),
    "full_like of nothing": (
        lambda n, t: dml_vk.full_like(dml_vk.asarray(M[:0]), t),
        lambda n, t: M[:0],
    ),
    "arange": (lambda n, t: dml_vk.arange(n), lambda n, t: np.arange(n)),
    "arange from": (lambda n, t: dml_vk.arange(1, n), lambda n, t: np.arange(1, n)),
    "arange by": (
        lambda n, t: dml_vk.arange(t, n, t),
        lambda n, t: np.arange(t, n, t).astype(np.float32),
    ),
    "linspace": (
        lambda n, t: dml_vk.linspace(t, n, n),
        lambda n, t: np.linspace(t, n, n).astype(np.float32),
    ),
    "eye": (
        lambda n, t: dml_vk.eye(n, n, k=n - 2),
        lambda n, t: np.eye(n, n, k=n - 2, dtype=np.float32),
    ),
    "zeros": (lambda n, t: dml_vk.zeros(n), lambda n, t: np.zeros(n, np.float32)),
    "ones": (lambda n, t: dml_vk.ones((n, 2)), lambda n, t: np.ones((n, 2), np.float32)),
    "empty": (lambda n, t: dml_vk.empty(n)[:0], lambda n, t: np.empty(n, np.float32)[:0]),
    "bits": (lambda n, t: dml_vk.random.Generator(7).bits(n)[:0], lambda n, t: np.uint32([])),
    "reshape": (lambda n, t: dml_vk.asarray(I).reshape(n, -1), lambda n, t: I.reshape(n, -1)),
    "flattened": (
        lambda n, t: dml_vk.asarray(I[0]).reshape(n),
        lambda n, t: I[0].reshape(n),
    ),
    "broadcast_to": (
        lambda n, t: dml_vk.broadcast_to(dml_vk.asarray(I[0]), n),
        lambda n, t: np.broadcast_to(I[0], n),
    ),
    "slice": (lambda n, t: dml_vk.asarray(A)[..., : n - 1], lambda n, t: A[..., : n - 1]),
    "steps": (lambda n, t: dml_vk.asarray(A)[..., ::n], lambda n, t: A[..., ::n]),
    "index": (lambda n, t: dml_vk.asarray(A)[..., n], lambda n, t: A[..., n]),
    "axis": (lambda n, t: dml_vk.asarray(M).max(n - 2), lambda n, t: M.max(1)),
    "one axis": (lambda n, t: dml_vk.asarray(M).argmax(n - 2), lambda n, t: M.argmax(1)),
    "axes": (
        lambda n, t: dml_vk.tensordot(dml_vk.asarray(I), dml_vk.asarray(I.T), n - 2),
        lambda n, t: np.tensordot(I, I.T, 1),
    ),
    "roll": (lambda n, t: dml_vk.roll(dml_vk.asarray(I), n, axis=1), lambda n, t: np.roll(I, 3, 1)),
    "roll all": (
        lambda n, t: dml_vk.roll(dml_vk.asarray(I), n - 2, axis=(0, 1)),
        lambda n, t: np.roll(I, (1, 1), (0, 1)),
    ),
    "repeat": (lambda n, t: dml_vk.repeat(dml_vk.asarray(I[0]), n), lambda n, t: I[0].repeat(3)),
    "pad": (lambda n, t: dml_vk.pad(dml_vk.asarray(I), n), lambda n, t: np.pad(I, 3)),
    "pad, a pair": (
        lambda n, t: dml_vk.pad(dml_vk.asarray(I), (n - 2, n)),
        lambda n, t: np.pad(I, (1, 3)),
    ),
    "split": (lambda n, t: dml_vk.asarray(A).split(n, 3)[0], lambda n, t: A[..., :3]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_tensors_of_no_dims_are_numbers(name):
    ours, theirs = NUMBERS[name]
    assert_same(ours(THREE, HALF), theirs(3, 0.5))
    if name != "full of ints":
        assert_same(ours(dml_vk.asarray(3, dtype="uint8"), HALF), theirs(3, 0.5))


def test_a_fill_value_comes_from_the_device_it_is_on_in_its_own_dtype():
    assert dml_vk.full(2, THREE).dtype is dml_vk.int64
    assert dml_vk.full(2, HALF.to("float64")).dtype is dml_vk.float64
    with dml_vk.trace(strict=True) as log:
        x = dml_vk.full((2, 3, 4, 5), HALF + 1, memory_format=channels_last)
    assert (log.entries, x.memory_format) == ([], channels_last)
    assert_same(x, np.full((2, 3, 4, 5), 1.5, np.float32))


@pytest.mark.parametrize("what", ["full", "full_like"])
def test_a_fill_value_of_several_elements_is_none(what):
    place = (2,) if what == "full" else dml_vk.asarray(M)
    for wrong in (dml_vk.asarray([1.0]), dml_vk.asarray(M)):
        must = f"{what}: fill_value must be a number or a 0-D tensor; got shape="
        with pytest.raises(DTypeError, match=must):
            getattr(dml_vk, what)(place, wrong)


def test_tensors_of_no_dims_that_are_no_such_numbers():
    for call, must in (
        (lambda: dml_vk.arange(dml_vk.asarray([3])), "arange: stop must be a real number; got"),
        (lambda: dml_vk.zeros(HALF), "zeros: sizes must be a sequence of integers; got shape="),
        (lambda: dml_vk.linspace(0, 1, HALF), "linspace: num must be an integer; got num=Tensor"),
    ):
        with pytest.raises((DTypeError, LayoutError), match=must):
            call()


@pytest.mark.parametrize("array", [A, A[0, 0], A[0, 0, 0], A[0, 0, 0, 0], A[:, :0]], ids=np.ndim)
def test_transpose_as_numpy_has_it(array):
    array = np.asarray(array)
    x = dml_vk.asarray(array)
    assert_same(x.transpose(), array.transpose())
    assert_same(x.transpose(None), array.transpose())
    dims = tuple(np.random.default_rng(2).permutation(array.ndim).tolist())
    assert_same(x.transpose(dims), array.transpose(dims))
    assert_same(x.transpose(list(dims)), array.transpose(dims))
    if array.ndim > 2:
        assert_same(x.transpose(*dims), array.transpose(dims))
    if array.ndim > 1:
        assert_same(x.transpose(0, -1), np.swapaxes(array, 0, -1))


def test_axes_by_place():
    x, y = dml_vk.asarray(M), dml_vk.asarray(I)
    assert_same(dml_vk.tensordot(y, y.T, 1), np.tensordot(I, I.T, 1))
    assert_same(dml_vk.linalg.tensordot(y, y, ([0], [0])), np.tensordot(I, I, ([0], [0])))
    assert_same(dml_vk.diff(y, 2), np.diff(I, 2))
    assert_same(dml_vk.diff(y, 1, 0), np.diff(I, 1, 0))
    for name, row in REDUCTIONS.items():
        expected = reference(name, I, (0,))
        assert_same(getattr(dml_vk, name)(y, 0), expected)
        if row.method:
            assert_same(getattr(y, name)(0), expected)
    for name in ("mean", "var", "std"):
        for found in (getattr(dml_vk, name)(x, (0, 1)), getattr(x, name)((0, 1))):
            assert float(found) == pytest.approx(float(getattr(np, name)(M)))


def test_degrees_of_freedom():
    x = dml_vk.asarray(M)
    for name in ("var", "std"):
        expected = getattr(np, name)(M, axis=1, ddof=1)
        for found in (
            getattr(dml_vk, name)(x, axis=1, ddof=1),
            getattr(dml_vk, name)(x, 1, ddof=1, keepdims=True)[:, 0],
            getattr(x, name)(1, ddof=1),
            getattr(x, name)(1, correction=1),
            getattr(x, name)(1, correction=0.0, ddof=1.0),
        ):
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
        assert getattr(x, name)(ddof=np.uint64(2**64 - 1)).item() == np.inf
        assert np.isnan(getattr(x, name)(ddof=np.nan).item())
        assert getattr(x, name)(ddof=dml_vk.asarray(1)) == getattr(x, name)(ddof=1)
        with pytest.raises(RangeError, match=f"{name}: correction and ddof must not both be given"):
            getattr(dml_vk, name)(x, correction=1, ddof=1)
        with pytest.raises(DTypeError, match=f"{name}: ddof must be a real number; got ddof='1'"):
            getattr(x, name)(ddof="1")
