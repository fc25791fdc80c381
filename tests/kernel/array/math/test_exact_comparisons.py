"""Comparisons of integers with floats, and with numbers beyond their range, are Python's."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from tests import tier
from tests.kernel.forms import few_forms

COMPARE = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
NAMES = tuple(COMPARE)
INTEGERS = ("int64", "uint64", "int32", "uint32", "int16", "uint16", "int8", "uint8")
FLOATS = ("float32", "float64", "float16")
NEAR = [2**k + d for k in (0, 7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64) for d in (-1, 0, 1)]
NUMBERS = [*NEAR, *[-one for one in NEAR], 0.5, -0.5, 1.5, 1e300, -1e300, 1e-300]
SPECIAL = [float("inf"), float("-inf"), float("nan")]


def numbers_of(dtype):
    """Those that an integer type holds."""
    limits = np.iinfo(dtype)
    held = {one for one in NUMBERS if type(one) is int and limits.min <= one <= limits.max}
    return np.array(sorted(held | {0}), dtype)


@tier.parametrize("name dtypes", NAMES, list(itertools.product(INTEGERS, FLOATS)))
def test_tensors(name, dtypes):
    dtype, kind = dtypes
    whole = numbers_of(dtype)
    with np.errstate(over="ignore"):
        floats = np.unique(np.array([*map(float, NUMBERS), *SPECIAL], kind))
    a, b = (one.copy() for one in np.broadcast_arrays(whole[:, None], floats))
    expected = [COMPARE[name](*pair) for pair in zip(a.ravel().tolist(), b.ravel().tolist())]
    turned = [COMPARE[name](*pair) for pair in zip(b.ravel().tolist(), a.ravel().tolist())]
    for x, y in zip(few_forms(a, 0), few_forms(b, 1)):
        assert getattr(dml_vk, name)(x, y).numpy().ravel().tolist() == expected
        assert getattr(np, name)(y, x).numpy().ravel().tolist() == turned
    out = dml_vk.empty((len(whole), len(floats)), bool)
    thin = dml_vk.asarray(whole)[:, None], dml_vk.asarray(floats)
    assert getattr(dml_vk, name)(*thin, out=out) is out
    assert out.numpy().ravel().tolist() == expected
    compiled = dml_vk.compile(lambda x, y: COMPARE[name](x, y))
    assert compiled(*thin).numpy().ravel().tolist() == expected


@tier.parametrize("name dtype", NAMES, INTEGERS)
def test_numbers(name, dtype):
    whole = numbers_of(dtype)
    x, compare = dml_vk.asarray(whole), getattr(dml_vk, name)
    for number in [*NUMBERS, *SPECIAL, 10**400, -(10**400)]:
        expected = [COMPARE[name](one, number) for one in whole.tolist()]
        assert compare(x, number).tolist() == expected, number
        turned = [COMPARE[name](number, one) for one in whole.tolist()]
        assert compare(number, x).tolist() == turned, number
        if isinstance(number, float):
            assert COMPARE[name](x, np.float64(number)).tolist() == expected, number
            single = (
                np.float32(min(max(number, -3e38), 3e38)) if number == number else np.float32("nan")
            )
            expected = [COMPARE[name](one, single.item()) for one in whole.tolist()]
            assert getattr(np, name)(x, single).tolist() == expected, number


def test_numpys_integers_beside_floats():
    x = dml_vk.asarray([2.0**24, 2.0**24 + 2])
    assert (x == np.int64(2**24 + 1)).tolist() == [False, False]
    assert (x < np.int64(2**24 + 1)).tolist() == [True, False]
    assert (np.uint32(2**24 + 1) > x).tolist() == [True, False]
    assert (x < np.array([2**24 + 1, 2**62])).tolist() == [True, True]


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32", "int16"])
def test_numbers_of_compiled_functions(dtype):
    compiled = dml_vk.compile(lambda x, s: (x < s, x >= s, s == x, x != s))
    x = dml_vk.asarray(numbers_of(dtype))
    for number in (16777216.0, 0.5, -3.0, 2.0**63, float("inf"), float("nan"), 2.0**24 + 1):
        expected = [
            [COMPARE[name](one, number) for one in x.tolist()]
            for name in ("less", "greater_equal", "equal", "not_equal")
        ]
        assert [one.tolist() for one in compiled(x, number)] == expected, number


def test_errors_name_the_function_that_was_called():
    x = dml_vk.asarray([1, 2])
    with pytest.raises(LayoutError, match=r"^less: out must have the shape \(2,\)"):
        dml_vk.less(0.5, x, out=dml_vk.empty((3,), bool))
    with pytest.raises(DTypeError, match=r"^greater: operands must be tensors or numbers"):
        dml_vk.greater("1", x)
