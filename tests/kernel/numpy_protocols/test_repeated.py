"""`np.add.at` and kin, beside NumPy: elements that are named several times."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutIndexError
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms

UFUNCS = (np.add, np.subtract, np.multiply, np.maximum, np.minimum)


def few(sizes, dtype):
    """Few small integers, so that floats are exact, and products and sums of them too."""
    return chance().integers(1, 3, sizes).astype(dtype)


@tier.parametrize("function dtype", UFUNCS, ["float32", "int64", "uint8", "float64", "float16"])
def test_keys_of_all_kinds(function, dtype):
    rows, columns = chance().integers(-4, 4, 7), chance().integers(0, 5, 7)
    keys = (
        ((rows, columns), few(7, dtype)),
        ([1, 1, 3], few(5, dtype)),
        (rows, few((7, 5), dtype)),
        ((slice(0, 2), [0, 0, 4]), few((2, 3), dtype)),
        (few((4, 5), bool), 2),
        (2, 1),
        (([], []), 1),
    )
    for turn, (key, values) in enumerate(keys):
        array = few((4, 5), dtype)
        for x in few_forms(array, turn):
            expected = array.copy()
            function.at(expected, key, values)
            mine = tuple(map(dml_vk.asarray, key)) if key is keys[0][0] else key
            given = dml_vk.asarray(values) if isinstance(values, np.ndarray) else values
            assert function.at(x, mine, given) is None
            assert np.array_equal(x.numpy(), expected), key


def test_many_of_one_element():
    places = chance().integers(0, 10, 30_000)
    counts = dml_vk.zeros(10, dtype="int64")
    np.add.at(counts, dml_vk.asarray(places), 1)
    assert counts.tolist() == np.bincount(places, minlength=10).tolist()
    x = dml_vk.zeros(3)
    np.add.at(x, [1] * 70_001, 0.1)  # more than an invocation may add in one loop
    assert x.tolist()[1] == pytest.approx(7000.1, rel=1e-6)
    y, z = dml_vk.zeros(2, "complex64"), dml_vk.asarray([1.0, np.nan])
    np.add.at(y, [1, 1], dml_vk.asarray([1j, 2]))
    assert y.tolist() == [0, 2 + 1j]
    np.maximum.at(z, [0, 0, 1], dml_vk.asarray([5.0, np.nan, 3.0]))
    assert np.isnan(z.numpy()).all()


@pytest.mark.parametrize("function", UFUNCS)
def test_elements_that_no_index_names_keep_their_bits(function):
    """NaN that signal, numbers that a device may flush, and the sign of zero."""
    bits = np.array([0x7F800001, 1, 0x80000000, 0x3F800000], np.uint32)
    x = dml_vk.asarray(bits.view(np.float32))
    function.at(x, [3, 3], dml_vk.asarray(np.float32([2, 3])))
    assert x.numpy().view(np.uint32).tolist()[:3] == bits.tolist()[:3]
    y, array = dml_vk.asarray(np.float32([-0.0])), np.float32([-0.0])
    for result in (y, array):
        function.at(result, [0, 0], np.float32([1, -1]))
    assert y.numpy().tobytes() == array.tobytes()


@tier.parametrize("dtype count", ["float16", "float32", "float64", "complex64"], [1, 3, 70])
def test_sums_of_negative_zeros_alone_are_negative(dtype, count):
    zeros = np.empty(count, dtype)
    zeros.view(zeros.real.dtype)[:] = -0.0
    x = dml_vk.asarray(zeros[:1])
    np.add.at(x, [0] * count, dml_vk.asarray(zeros))
    assert x.numpy().tobytes() == zeros[:1].tobytes()
    sums = np.add.reduceat(dml_vk.asarray(zeros), [0, 0])
    assert sums.numpy().tobytes() == np.add.reduceat(zeros, [0, 0]).tobytes()


def test_the_same_bits_in_any_layout():
    values, places = chance().normal(size=999).astype("float32"), chance().integers(0, 20, 999)
    found = []
    for x in few_forms(np.zeros((4, 5), "float32"), 1):
        key = tuple(map(dml_vk.asarray, np.divmod(places, 5)))
        np.add.at(x, key, dml_vk.asarray(values))
        found.append(x.numpy().tobytes())
    assert len(set(found)) == 1


def test_what_is_refused_changes_nothing():
    x = dml_vk.asarray([1, 2, 3])
    for call, error, said in (
        (lambda: np.add.at(x, [0], 0.5), DTypeError, "cannot store a number of this kind"),
        (lambda: np.add.at(x, [0], dml_vk.asarray([0.5])), DTypeError, "casting cannot convert"),
        (lambda: np.add.at(x, [3], 1), LayoutIndexError, "index"),
        (lambda: np.divide.at(x, [0], 1), DTypeError, "not available for tensors"),
        (lambda: np.negative.at(x, [0]), DTypeError, "numpy.negative.at: not available"),
        (lambda: np.add.at(x > 1, [0], True), DTypeError, "dtype must be numeric"),
        (lambda: np.add.at(np.zeros(3), [0], x[:1]), DTypeError, "a must be a Tensor"),
    ):
        with pytest.raises(error, match=said):
            call()
    assert x.tolist() == [1, 2, 3]
