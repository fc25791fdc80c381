"""Python numbers as 32-bit words."""

from __future__ import annotations

import itertools
import struct

import numpy as np
import pytest

from dml_vk.errors import ShaderError
from dml_vk.spirv.scalars import Slot, describe, to_words

N, SHIFT, ALPHA, DENSE = (
    Slot("n", "uint"),
    Slot("shift", "int"),
    Slot("alpha", "float"),
    Slot("dense", "bool"),
)
STEPS = [Slot("steps", "uint")] * 3
ALL = [N, SHIFT, ALPHA, *STEPS]


def words(slots, given, *, whole=True):
    return to_words("k", "push", slots, given, whole=whole)


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def error_of(slots, given, *, whole=True):
    with pytest.raises(ShaderError) as caught:
        words(slots, given, whole=whole)
    return str(caught.value)


def test_numbers_become_what_is_declared():
    expected = [7, 2**32 - 1, 0x3FC00000, 1, 2, 3]
    assert words(ALL, (7, -1, 1.5, 1, 2, 3)) == expected
    assert words(ALL, [7, -1, 1.5, (1, 2, 3)]) == expected
    assert words(ALL, {"steps": (1, 2, 3), "alpha": 1.5, "shift": -1, "n": 7}) == expected
    given = {"steps": np.array([1, 2, 3]), "alpha": np.float32(1.5), "shift": np.int8(-1), "n": 7}
    assert words(ALL, given) == expected
    assert words(ALL, iter((7, -1, 1.5, 1, 2, 3))) == expected
    assert words([N], 7) == [7]
    assert words([], ()) == []


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint32", "int64"])
def test_arrays_count_by_value_not_by_bytes(dtype):
    array = np.arange(6, dtype=dtype)[::-2]
    assert words(STEPS, array) == [5, 3, 1]
    assert words([ALPHA] * 3, array) == [bits(5.0), bits(3.0), bits(1.0)]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_floats_become_float32(dtype):
    array = np.array([0.1, -0.0, np.inf], dtype)
    assert words([ALPHA] * 3, array) == array.astype(np.float32).view(np.uint32).tolist()


@pytest.mark.parametrize(("slot", "low", "high"), [(N, 0, 2**32 - 1), (SHIFT, -(2**31), 2**31 - 1)])
def test_integers_keep_within_their_range(slot, low, high):
    assert words([slot], low) == [low & 0xFFFFFFFF]
    assert words([slot], high) == [high & 0xFFFFFFFF]
    for value in (low - 1, high + 1):
        assert f"a 32-bit {slot.type}; got {slot.name}={value}" in error_of([slot], value)


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        (N, 1.0),
        (N, np.float32(1)),
        (N, None),
        (SHIFT, 2.5),
        (ALPHA, 1e39),
        pytest.param(ALPHA, 10**400, id="huge"),
        (ALPHA, 1j),
        (ALPHA, np.complex64(1)),
        (ALPHA, None),
        (DENSE, 1),
        (DENSE, 1.0),
    ],
)
def test_what_has_another_type_is_refused(slot, value):
    must = f"k: {slot.name} must be a 32-bit {slot.type}; got {slot.name}="
    assert error_of([slot], value).startswith(must)


def test_bools():
    assert words([DENSE], True) == words([DENSE], np.bool_(True)) == [1]
    assert words([DENSE], False) == [0]
    assert words([N], True) == [1]


def test_bytes_are_the_words_themselves():
    nan = struct.pack("<3I", 0x7F812345, 1, 2**32 - 1)
    assert words([ALPHA, N, SHIFT], nan) == [0x7F812345, 1, 2**32 - 1]
    assert words([ALPHA, N, SHIFT], bytearray(nan)) == [0x7F812345, 1, 2**32 - 1]
    assert error_of([N], b"123") == "k: push as bytes must be whole 32-bit words; got bytes=3"
    assert "push must be 1 values: uint n; got push=b'" in error_of([N], nan)


@pytest.mark.parametrize("text", ["7", ["7"], (b"7",), {"n": "7"}])
def test_text_is_no_number(text):
    assert "must be numbers; got " in error_of([N], text)


def test_lists_without_an_end():
    endless: list = [1]
    endless.append(endless)
    assert "must be numbers; got " in error_of([N], endless)
    assert "must be 1 values: uint n; got " in error_of([N], itertools.count())


def test_counts():
    told = "uint n, int shift, float alpha, uint steps[3]"
    assert error_of(ALL, (1, 2)) == f"k: push must be 6 values: {told}; got push=(1, 2)"
    assert error_of([], 1) == "k: push must be 0 values: none; got push=1"
    assert words(ALL, (1, 2), whole=False) == [1, 2]
    assert "push must be at most 1 values: uint n; got" in error_of([N], (1, 2), whole=False)


def test_names():
    assert (
        error_of([N, SHIFT], {"n": 1})
        == "k: push takes exactly these names: uint n, int shift; got names=['n']"
    )
    assert "got names=['n', 'm']" in error_of([N], {"n": 1, "m": 2})
    assert "these names: none; got names=['n']" in error_of([], {"n": 1})
    assert error_of(STEPS, {"steps": (1, 2)}) == "k: steps must have 3 values; got steps=(1, 2)"


def test_describe():
    assert describe([*STEPS, DENSE]) == "uint steps[3], bool dense"
    assert describe([]) == ""
