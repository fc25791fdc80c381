"""Which dtype comes out of several: NumPy's answer where the standard has one, else an error."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dml_vk.dtypes import DTYPES, to_dtype
from dml_vk.errors import DTypeError
from dml_vk.promotion import check_weak, common_dtype

PAIRS = list(product(DTYPES.values(), repeat=2))


def defined(*dtypes) -> bool:
    """By the array API standard: of one kind, integers of both signs if one holds all."""
    kinds = {dtype.kind for dtype in dtypes}
    if kinds == {"i", "u"}:
        return not any(dtype.name == "uint64" for dtype in dtypes)
    return len(kinds) == 1


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=str)
def test_of_two(a, b):
    if defined(a, b):
        expected = np.result_type(a.numpy_name, b.numpy_name)
        assert common_dtype("add", [a, b]) is to_dtype("add", expected)
    else:
        integers = {a.kind, b.kind} == {"i", "u"}
        must = "uint64 must be beside no" if integers else "dtypes must be of one kind.*convert"
        with pytest.raises(DTypeError, match=f"^add: {must} .*; got dtypes="):
            common_dtype("add", [a, b])


def test_of_three_does_not_depend_on_their_order():
    for dtypes in product(["int8", "uint8", "uint16", "int32"], repeat=3):
        given = [DTYPES[name] for name in dtypes]
        expected = to_dtype("add", np.result_type(*dtypes))
        assert common_dtype("add", given) is common_dtype("add", given[::-1])
        # Pairs at a time int8, uint8 and uint16 come to int32, and so at once.
        assert common_dtype("add", given) is expected


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_numbers_take_the_dtype_beside_them_where_it_holds_their_kind(dtype):
    holds = {"b": [True], "i": [True, 1], "u": [True, 1], "f": [True, 1, 1.5]}[dtype.kind]
    for number in (True, 1, 1.5):
        if number in holds and type(number) in map(type, holds):
            check_weak("add", number, dtype)
        else:
            with pytest.raises(DTypeError, match=r"add: a number beside .* must be of a kind"):
                check_weak("add", number, dtype)
