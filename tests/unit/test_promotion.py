"""Which dtype comes out of several: that of the highest kind, in which the standard decides."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dml_vk.dtypes import DTYPES, to_dtype
from dml_vk.errors import DTypeError
from dml_vk.promotion import check_weak, common_dtype, float_dtype
from tests.each import each

PAIRS = list(product(DTYPES.values(), repeat=2))


HEIGHTS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


@each("a b", PAIRS)
def test_of_two(a, b):
    """Beside PyTorch's answers: tests/kernel/array/math/test_kinds.py."""
    if {"c", "f"} <= {a.kind, b.kind}:
        wide = "float64" in (a.name, b.name) or "complex128" in (a.name, b.name)
        assert common_dtype("add", [a, b]) is DTYPES["complex128" if wide else "complex64"]
    elif HEIGHTS[a.kind] != HEIGHTS[b.kind]:
        highest = max(a, b, key=lambda dtype: HEIGHTS[dtype.kind])
        assert common_dtype("add", [a, b]) is highest
    elif {a.kind, b.kind} == {"i", "u"} and "uint64" in (a.name, b.name):
        must = "cannot mix uint64 with signed integers: .*; got dtypes="
        with pytest.raises(DTypeError, match=f"^add: {must}"):
            common_dtype("add", [a, b])
    else:
        expected = np.result_type(a.numpy_name, b.numpy_name)
        assert common_dtype("add", [a, b]) is to_dtype("add", expected)


def test_of_three_does_not_depend_on_their_order():
    for dtypes in product(["int8", "uint8", "uint16", "int32"], repeat=3):
        given = [DTYPES[name] for name in dtypes]
        expected = to_dtype("add", np.result_type(*dtypes))
        assert common_dtype("add", given) is common_dtype("add", given[::-1])
        # Pairs at a time int8, uint8 and uint16 come to int32, and so at once.
        assert common_dtype("add", given) is expected


def test_of_three_the_highest_kind_decides():
    given = [DTYPES[name] for name in ("int64", "float16", "uint64")]
    assert common_dtype("where", given) is DTYPES["float16"]
    assert common_dtype("where", given[:2], [0.5, 7, True]) is DTYPES["float16"]


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_numbers_of_a_higher_kind_have_the_default_dtype_of_it(dtype):
    kinds = ((True, "b", "bool_"), (1, "i", "int64"), (1.5, "f", "float32"), (1j, "c", "complex64"))
    for number, kind, default in kinds:
        if kind == "c" and dtype is DTYPES["float64"]:
            default = "complex128"
        fits = HEIGHTS[kind] <= HEIGHTS[dtype.kind]
        assert common_dtype("add", [dtype], [number]) is (dtype if fits else DTYPES[default])
        alone = "complex64" if kind == "c" else default
        assert common_dtype("where", [], [False, number]) is DTYPES[alone]
        if fits:
            check_weak("setitem", number, dtype)
        else:
            with pytest.raises(DTypeError, match=r"setitem: cannot store a number of this kind in"):
                check_weak("setitem", number, dtype)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_functions_of_floats_take_others_as_float32(dtype):
    assert float_dtype(dtype) is (dtype if dtype.kind in "fc" else DTYPES["float32"])
