"""NumPy's scalars, and arrays of no dims, have their dtype beside tensors."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import DTYPES, to_dtype
from dml_vk.errors import DTypeError
from dml_vk.promotion import common_dtype
from tests import tier
from tests.kernel.compiler.tensors import bits

NAMES = [name for name in DTYPES if name != "bool_"]
SMALL = {"f": [0.5, -1.5, 3.0], "c": [1 + 2j, -2.0, 0.5j], "i": [1, -2, 3], "u": [1, 2, 3]}


def pair(dtype, scalar):
    x = dml_vk.asarray(np.array(SMALL[to_dtype("x", dtype).kind], dtype))
    return x, np.array(SMALL[to_dtype("x", scalar).kind][0], scalar)[()]


@tier.parametrize("dtype scalar", NAMES, NAMES)
def test_they_are_as_tensors_of_no_dims(dtype, scalar):
    x, number = pair(dtype, scalar)
    tensor = dml_vk.asarray(number)
    assert tensor.dtype is to_dtype("x", scalar)
    if "uint64" in (dtype, scalar) and "i" in (x.dtype.kind, tensor.dtype.kind):
        for call in (lambda: x + number, lambda: number - x, lambda: x < number):
            with pytest.raises(DTypeError, match="cannot mix uint64 with signed integers"):
                call()
        return
    common = common_dtype("add", [x.dtype, tensor.dtype])
    for one in (number, np.array(number)):
        assert bits(x + one) == bits(x + tensor)
        assert bits(one + x) == bits(tensor + x)
        assert bits(np.add(one, x)) == bits(tensor + x)
        assert bits(x == one) == bits(x == tensor)
        assert bits(dml_vk.where(x != 0, x, one)) == bits(dml_vk.where(x != 0, x, tensor))
        assert dml_vk.result_type(x, one) is dml_vk.result_type(one, dtype) is common
        assert dml_vk.full(2, one).dtype is tensor.dtype
        assert bits(dml_vk.multiply(x, 2) * one) == bits(x * 2 * tensor)


FLOATS = ("float16", "float32", "float64")


@tier.parametrize("dtype scalar", FLOATS, [*FLOATS[1:], FLOATS[0]])
def test_functions_of_floats(dtype, scalar):
    x, number = pair(dtype, scalar)
    tensor = dml_vk.asarray(number)
    for function in (dml_vk.pow, dml_vk.atan2, dml_vk.maximum, operator.mod, operator.lt):
        assert bits(function(x, number)) == bits(function(x, tensor))
        assert bits(function(number, x)) == bits(function(tensor, x))
    assert bits(x ** type(number)(2)) == bits(x ** dml_vk.asarray(type(number)(2)))
    low, high = number, type(number)(2)
    expected = dml_vk.clip(x, dml_vk.asarray(low), dml_vk.asarray(high))
    assert bits(dml_vk.clip(x, low, high)) == bits(expected)
    assert bits(np.clip(x, low, high)) == bits(expected)


def test_conditions_have_no_part_in_the_dtype():
    x, condition = dml_vk.asarray(np.int8([1, 2])), dml_vk.asarray([0, 3])
    found = dml_vk.where(condition, x, np.int16(300))
    assert (found.dtype, found.tolist()) == (dml_vk.int16, [300, 2])
    found = dml_vk.where(condition, np.float64(0.1), 2.0)
    assert (found.dtype, found.tolist()) == (dml_vk.float64, [2.0, 0.1])
    found = dml_vk.where(condition, np.float32([1, 2]), dml_vk.asarray(0.5))
    assert (found.dtype, found.tolist()) == (dml_vk.float32, [0.5, 2.0])


def test_small_differences_are_not_lost():
    x = dml_vk.asarray([1.0])
    step = np.float64(1.5e-8)
    assert ((x + step) - x).item() == (np.float64(1) + step) - 1
    assert (x < np.float64(1.0000000001)).item()
    assert (dml_vk.asarray([2**24 + 1]) * np.float64(1)).item() == 2**24 + 1


def test_a_wider_result_in_place_is_an_error_and_another_not():
    x = dml_vk.asarray([1.0])
    for number in (np.float64(2), np.array(2.0), np.complex64(1)):
        with pytest.raises(DTypeError, match="cannot cast the in-place result to float32"):
            x += number
    x += np.float32(2)
    x *= np.int64(3)
    x -= np.float16(0.5)
    assert x.item() == 8.5
    x[0] = np.float64(0.25)
    assert x.item() == 0.25


def test_of_more_bits_than_any_here_they_have_64():
    found = dml_vk.asarray([1.0]) * np.longdouble(0.1)
    assert (found.dtype, found.item()) == (dml_vk.float64, 0.1)
    assert (dml_vk.asarray([1.0]) + np.clongdouble(1j)).dtype is dml_vk.complex128


def test_what_is_no_number_is_refused():
    for one in (np.str_("a"), np.datetime64("2020-01-01"), np.array("a")):
        with pytest.raises(DTypeError, match="operands must be tensors or numbers"):
            dml_vk.add(dml_vk.ones(2), one)


def test_pythons_numbers_take_the_dtype_of_tensors():
    x = dml_vk.ones(2, dtype="float16")
    for number in (2, 0.1, True):
        assert (x * number).dtype is dml_vk.float16


def test_they_are_constants_of_a_compiled_function():
    function = dml_vk.compile(lambda x, n: x * n + np.float64(0.1))
    x = dml_vk.asarray([1.0, 3.0])
    for number in (np.float32(0.5), np.float64(0.1), np.float64(0.2)):
        expected = x * dml_vk.asarray(number) + dml_vk.asarray(np.float64(0.1))
        assert bits(function(x, number)) == bits(expected)
