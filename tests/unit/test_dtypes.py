"""Element types by every name that people have for them."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import dml_vk
from dml_vk.directml import DataType
from dml_vk.dtypes import DTYPES, DType, to_dtype
from dml_vk.errors import DTypeError
from tests.each import each

KIND = {"b": np.bool_, "i": np.signedinteger, "u": np.unsignedinteger, "f": np.floating}
KIND["c"] = np.complexfloating


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_each_is_what_numpy_has_by_that_name(dtype):
    theirs = np.dtype(dtype.name.rstrip("_"))
    assert (dtype.itemsize, dtype.kind) == (theirs.itemsize, theirs.kind)
    assert np.issubdtype(theirs, KIND[dtype.kind])
    for name in (dtype, dtype.name, theirs, theirs.type, theirs.name, theirs.newbyteorder("=")):
        assert to_dtype("test", name) is dtype
    assert getattr(dml_vk, dtype.name) is dtype
    assert (dtype.type, dtype.byteorder, dtype.isnative) == (theirs.type, theirs.byteorder, True)
    assert repr(dtype) == f"dml_vk.{dtype.name}"


def test_directml_has_them_all_but_bool_and_complex_ones():
    named = {dtype.directml for dtype in DTYPES.values()} - {None}
    assert named == {kind.name for kind in DataType} - {"UNKNOWN", "INT4", "UINT4"}
    lacking = [dtype.name for dtype in DTYPES.values() if dtype.directml is None]
    assert lacking == ["bool_", "complex64", "complex128"]


def test_pythons_types_are_the_array_api_standards():
    assert [to_dtype("test", kind) for kind in (bool, int, float, complex)] == [
        dml_vk.bool_,
        dml_vk.int64,
        dml_vk.float32,
        dml_vk.complex64,
    ]


def test_parts_of_complex_numbers_are_floats():
    assert dml_vk.complex64.part is dml_vk.float32
    assert dml_vk.complex128.part is dml_vk.float64
    assert dml_vk.int8.part is dml_vk.int8


class Named:
    """Something that calls itself a type, as other libraries' types do."""

    name = "float16"


def test_what_says_its_name_is_taken_at_its_word():
    assert to_dtype("test", Named()) is dml_vk.float16


OTHERS = {"float", "int", "complex", "a"}  # Python's own are other types here
SPELT = {*np.sctypeDict, *np.typecodes["All"], "f4", "i8", "u2", "b1", "|u1", "=f2", "c8"}


@each("text", sorted(text for text in SPELT - OTHERS if isinstance(text, str)))
def test_numpys_other_spellings(text):
    theirs = np.dtype(text)
    if theirs.name.replace("bool", "bool_").replace("bool__", "bool_") in DTYPES:
        assert to_dtype("test", text) == theirs
        assert to_dtype("test", text) == text
    else:
        with pytest.raises(DTypeError, match="dtype must be one of"):
            to_dtype("test", text)


@pytest.mark.parametrize("name", ["byte", "short", "intc", "int_", "intp", "longlong", "ulonglong"])
def test_numpys_classes_for_types_of_c(name):
    """Their sizes, and which of them have no other name, depend on the system."""
    assert to_dtype("test", getattr(np, name)) == np.dtype(name)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_bytes_in_another_order_are_of_the_same_dtype_and_not_equal(dtype):
    theirs = np.dtype(dtype.numpy_name)
    swapped = theirs.newbyteorder("S")
    for given in (swapped, swapped.str):
        assert to_dtype("test", given) is dtype
        assert (dtype == given) == (theirs == given)


def test_spellings_of_numpys_where_it_is_not(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(DTypeError, match="dtype must be one of"):
        to_dtype("test", "f4")
    assert to_dtype("test", "float32") is dml_vk.float32


LONG_FLOATS = [np.longdouble] * (np.dtype("g").itemsize > 8)  # float64 on some systems


@pytest.mark.parametrize(
    "wrong",
    [
        None, "", "float", "Float32", "f3", "f4,f4", "float32 ", 4, 1.5, b"int8", str, object, [],
        (), {}, "complex32", np.dtype("U3"), np.dtype("M8[s]"), *LONG_FLOATS,
        "U3", "(2,)f4", "O", "F8", "f4\n", "int", "complex", "a", np.clongdouble,
        np.dtype([("a", "f4")]), np.zeros(3), list[int],
        DType("int4", 1, "i", None).name, DataType.INT8,
    ],
    ids=repr,
)  # fmt: skip
def test_anything_else_is_an_error_with_the_names_that_there_are(wrong):
    with pytest.raises(
        DTypeError, match=r"^test: dtype must be one of bool_, int8, .*; got dtype="
    ):
        to_dtype("test", wrong)


def test_a_dtype_equals_what_names_it_elsewhere():
    import pickle

    import numpy as np

    for name, dtype in DTYPES.items():
        theirs = np.dtype(dtype.numpy_name)
        for same in (theirs, theirs.type, dtype.numpy_name, name):
            assert dtype == same
        assert np.dtype(dtype) == theirs
        assert np.ones(2).astype(dtype).dtype == theirs
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert [other for other in DTYPES.values() if other == dtype] == [dtype]
        assert dtype not in (None, "no dtype", 3, theirs.type(1), [dtype.name], object)
    assert {DTYPES["float32"]: 1}[DTYPES["float32"]] == 1
