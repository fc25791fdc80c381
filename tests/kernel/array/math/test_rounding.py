"""Python's `round` and `divmod` of tensors, beside those of Python's numbers and NumPy's arrays."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dml_vk
from dml_vk import DTypeError, LayoutError, RangeError
from dml_vk.layout import channels_last
from tests.chance import chance
from tests.kernel.tensors import assert_same

A = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)
M = np.array([[2.5, -1.5, 3.0], [0.25, 0.75, -0.5]], np.float32)
I = np.array([[7, -8, 9], [-7, 5, 4]], np.int32)  # noqa: E741


def test_round_of_a_number_is_pythons():
    for number in (2.5, -3.75, 1234.5, 0.125, 7.0):
        x = dml_vk.asarray(number)
        assert (round(x), type(round(x))) == (round(number), int)
        for digits in (0, 1, 2, -2):
            assert (round(x, digits), type(round(x, digits))) == (round(number, digits), float)
    assert round(dml_vk.asarray(1250), -2) == 1200
    assert round(dml_vk.asarray([0.5, 2.25]).sum(), dml_vk.asarray(1)) == 2.8


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_round_is_element_by_element(dtype):
    array = (np.random.default_rng(4).random((2, 3, 4, 5)) * 400 - 200).astype(dtype)
    array[0, 0, 0] = [np.inf, -np.inf, np.nan, -0.0, 0.5]
    x = dml_vk.asarray(array, memory_format=channels_last)
    assert_same(round(x), np.round(array))
    for digits in (0, 1, 2, -1, -2):
        found = round(x, digits)
        with np.errstate(all="ignore"):
            assert_same(found, np.round(array, digits))
        assert found.memory_format is channels_last
    if dtype != "float64":
        assert_same(round(x, 60), array)  # with so many digits that no float has them
        assert_same(round(x, 308), array)
    zeros = round(x, -60)
    finite = np.isfinite(array)
    assert not zeros.numpy()[finite].any()
    assert_same(zeros[0, 0, 0, :3], array[0, 0, 0, :3])


def test_round_of_whole_numbers():
    x = dml_vk.asarray(I)
    for digits in (None, 0, 3):
        assert_same(round(x, digits), I)
    for call, must in (
        (lambda: round(x, 1.5), "round: ndigits must be an integer; got ndigits=1.5"),
        (lambda: round(x.to("float32"), 309), "round: ndigits must be from -308 to 308; got"),
        (lambda: round(x > 0), "round: dtype must be one of"),
    ):
        with pytest.raises((DTypeError, LayoutError, RangeError), match=must):
            call()


def test_divmod():
    x = dml_vk.asarray(I)
    pairs = [
        (divmod(x, 3), divmod(I, 3)),
        (divmod(x, dml_vk.asarray(I[1])), divmod(I, I[1])),
        (divmod(100, x), divmod(100, I)),
        (divmod(np.int64(100), x), divmod(np.int64(100), I)),
        (divmod(dml_vk.asarray(M), 0.75), divmod(M, np.float32(0.75))),
        (np.divmod(x, 3), divmod(I, 3)),
    ]
    for found, expected in pairs:
        assert isinstance(found, tuple)
        for one, two in zip(found, expected):
            assert_same(one, two)
    for wrong in (lambda: divmod(x, "a"), lambda: divmod("a", x), lambda: divmod(x, None)):
        with pytest.raises(TypeError):
            wrong()
    assert [one.dtype for one in np.divmod(x, 3, dtype="int64")] == [dml_vk.int64] * 2
    with pytest.raises(DTypeError, match="no casting cannot convert the operands"):
        np.divmod(x, 3, dtype="int64", casting="no")
    image = dml_vk.asarray(A, memory_format=channels_last)
    assert [one.memory_format for one in divmod(image, 2.0)] == [channels_last] * 2


def test_long_doubles_are_the_nearest_numbers():
    x = dml_vk.asarray([1.0, -2.0])
    assert (x * np.longdouble("0.5")).tolist() == [0.5, -1.0]
    assert (x * np.longdouble("1e4000")).tolist() == [np.inf, -np.inf]
    assert dml_vk.add(x, np.clongdouble(1j)).tolist() == [1 + 1j, -2 + 1j]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_integers_are_rounded_to_tens_exactly(dtype):
    limits = np.iinfo(dtype)
    span = int(limits.max) - int(limits.min) + 1
    array = chance().integers(limits.min, limits.max, 60, dtype, endpoint=True)
    ends = np.array([limits.min, limits.max], dtype)
    array = np.concatenate([array, np.arange(0, 125, 5).astype(dtype), ends])
    for digits in (-1, -2, -3, -7, -18, -19, -(10**12)):
        scale = 10**-digits if digits > -19 else None
        # The nearest multiple, of two the even one; it wraps beyond the range.
        found = dml_vk.around(dml_vk.asarray(array), digits)
        exact = [
            0 if scale is None else round(Fraction(one, scale)) * scale for one in array.tolist()
        ]
        wrapped = [(one - int(limits.min)) % span + int(limits.min) for one in exact]
        assert found.tolist() == wrapped, digits
        assert found.dtype.numpy_name == dtype
    small = dml_vk.asarray(np.array([25, 35, 125, 14], dtype)[:, None].repeat(3, 1).T)
    assert np.round(small, -1).tolist() == [np.round([25, 35, 125, 14], -1).tolist()] * 3
    out = dml_vk.empty((3, 4), dtype)
    assert dml_vk.around(small, -1, out=out) is out
    assert small.round(-1).tolist() == out.tolist()
