"""Questions about dtypes, answered as NumPy does where the array API standard defines an answer."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import DTYPES, complex64, complex128, to_dtype
from dml_vk.errors import DTypeError

ALL = [*DTYPES.values()]


def gives(a, b) -> bool:
    """Whether a and b together come to b: by the standard's tables, and the order of kinds."""
    if a.kind == b.kind:
        return a.itemsize <= b.itemsize
    if {a.kind, b.kind} == {"u", "i"}:
        return b.kind == "i" and a.itemsize < b.itemsize
    fits = (a.name, b.name) != ("float64", "complex64")
    return "biufc".index(a.kind) < "biufc".index(b.kind) and fits


@pytest.mark.parametrize("a", ALL, ids=str)
def test_can_cast_follows_promotion(a):
    for b in ALL:
        assert dml_vk.can_cast(a, b) is gives(a, b)
        if gives(a, b):
            assert dml_vk.result_type(a, b) is dml_vk.result_type(b, a) is b
    assert dml_vk.can_cast(dml_vk.zeros(2, a), a)


def test_dtypes_by_any_name():
    assert dml_vk.can_cast("int8", np.int16)
    assert dml_vk.isdtype(np.dtype("f4"), "real floating")
    for wrong in (None, 3.5, object(), "x", np.zeros(3)):
        with pytest.raises(DTypeError, match="can_cast: dtype must be one of bool_, "):
            dml_vk.can_cast(wrong, "int8")


KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_isdtype(dtype):
    for kind, letters in KINDS.items():
        assert dml_vk.isdtype(dtype, kind) is (dtype.kind in letters)
    for other in ALL:
        assert dml_vk.isdtype(dtype, other) is (dtype is other)
        assert dml_vk.isdtype(dtype, (other, "bool")) is (dtype is other or dtype.kind == "b")
    assert not dml_vk.isdtype(dtype, ())


def test_invalid_kinds_are_refused():
    for wrong in ("float", "Integral", "float32", ("bool", "x")):
        with pytest.raises(DTypeError, match=r"isdtype: kind must be a dtype, or one of bool, sig"):
            dml_vk.isdtype(dml_vk.int8, wrong)
    for wrong in (None, 1, [dml_vk.int8]):
        with pytest.raises(DTypeError, match="isdtype: dtype must be one of"):
            dml_vk.isdtype(dml_vk.int8, wrong)


def test_result_types_of_tensors_dtypes_and_numbers():
    x = dml_vk.zeros(3, "float16")
    assert dml_vk.result_type(x) is dml_vk.float16
    assert dml_vk.result_type(x, 2.5, True, 3) is dml_vk.float16
    assert dml_vk.result_type(x, dml_vk.float64, np.float64(1)) is dml_vk.float64
    assert dml_vk.result_type("uint16", "int8", "uint8", 10**9) is dml_vk.int32
    assert dml_vk.result_type("bool", 1) is dml_vk.int64
    assert dml_vk.result_type("int8", 1.5, "bool") is dml_vk.float32
    assert dml_vk.result_type("int8", x, 2) is dml_vk.float16
    assert dml_vk.result_type("int64", 1j) is dml_vk.result_type("bool", complex64) is complex64
    assert dml_vk.result_type(x, 1j) is dml_vk.result_type(complex64, 1.5) is complex64
    assert dml_vk.result_type("complex64", "float64") is complex128
    assert (
        dml_vk.result_type("float64", 1j) is dml_vk.result_type(complex128, "int64") is complex128
    )
    numbers = {True: "bool_", 3: "int64", 2.5: "float32", 2j: "complex64"}
    for a, b in product(numbers, repeat=2):
        last = max((a, b), key=lambda number: list(numbers).index(number))
        assert dml_vk.result_type(a, b).name == numbers[last]


@pytest.mark.parametrize(
    ("given", "must"),
    [
        ((), "at least one tensor, dtype or number is needed"),
        (("uint64", "int8"), "cannot mix uint64 with signed integers: no dtype holds both"),
        (("int8", ...), "dtype must be one of"),
    ],
    ids=str,
)
def test_result_types_that_are_not_defined(given, must):
    with pytest.raises(DTypeError, match=f"^result_type: {must}"):
        dml_vk.result_type(*given)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_limits(dtype):
    for way in (dtype, dtype.numpy_name, dml_vk.zeros(2, dtype)):
        if dtype.kind in "fc":
            limits, theirs = dml_vk.finfo(way), np.finfo(dtype.numpy_name)
            for name in ("bits", "eps", "max", "min", "smallest_normal"):
                assert getattr(limits, name) == getattr(theirs, name)
                assert type(getattr(limits, name)) is (int if name == "bits" else float)
            assert limits.dtype is to_dtype("test", theirs.dtype)
        else:
            with pytest.raises(
                DTypeError, match=r"^finfo: dtype must be floating-point; got dtype="
            ):
                dml_vk.finfo(way)
        if dtype.kind in "iu":
            limits, theirs = dml_vk.iinfo(way), np.iinfo(dtype.numpy_name)
            found = (limits.bits, limits.max, limits.min)
            assert found == (theirs.bits, theirs.max, theirs.min)
            assert (set(map(type, found)), limits.dtype) == ({int}, dtype)
        else:
            with pytest.raises(
                DTypeError, match=r"^iinfo: dtype must be an integer dtype; got dtype="
            ):
                dml_vk.iinfo(way)
    with pytest.raises(AttributeError):
        dml_vk.iinfo("int8").max = 3


def test_constants():
    assert (dml_vk.e, dml_vk.pi, dml_vk.inf) == (math.e, math.pi, math.inf)
    assert math.isnan(dml_vk.nan)
    assert dml_vk.newaxis is None
    assert dml_vk.bool is dml_vk.bool_
    assert dml_vk.__array_api_version__ == "2025.12"
