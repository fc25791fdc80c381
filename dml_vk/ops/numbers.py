"""Conversion of Python numbers to the words of kernel parameters."""

from __future__ import annotations

import numbers
import operator
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.errors import DTypeError
from dml_vk.tracing.numbers import Number, NumberWords

_LETTERS = {"float16": "<e", "float32": "<f", "float64": "<d"}


def scalar_words(what: str, name: str, dtype: DType, value: object) -> Ints:
    """Return a number as the words of a scalar, for kernels that compute in this dtype."""
    if isinstance(value, Number):
        return _later(scalar_words, what, name, dtype, value)
    data = to_bytes(what, name, dtype, value)
    if dtype.itemsize >= 8:
        return struct.unpack(f"<{dtype.itemsize // 4}I", data)
    if dtype.name == "float16":
        return struct.unpack("<I", struct.pack("<f", *struct.unpack("<e", data)))
    return (int.from_bytes(data, "little", signed=dtype.kind == "i") & 0xFFFFFFFF,)


def double_words(what: str, name: str, dtype: DType, value: object) -> Ints:
    """Return a number, rounded to the dtype, as the words of a float64 or a complex128."""
    if isinstance(value, Number):
        return _later(double_words, what, name, dtype, value)
    parts = np.frombuffer(to_bytes(what, name, dtype, value), dtype.part.numpy_name)
    return struct.unpack(f"<{2 * len(parts)}I", parts.astype(np.float64).tobytes())


def element_words(what: str, name: str, dtype: DType, value: object) -> Ints:
    """Return a number as the bits of an element, for kernels that only move bits."""
    if isinstance(value, Number):
        return _later(element_words, what, name, dtype, value)
    data = to_bytes(what, name, dtype, value)
    return struct.unpack(f"<{-(-len(data) // 4)}I", data + bytes(-len(data) % 4))


def pattern_words(what: str, name: str, dtype: DType, value: object) -> Ints:
    """Return the bits of an element, repeated to fill four words."""
    if isinstance(value, Number):
        return _later(pattern_words, what, name, dtype, value)
    data = to_bytes(what, name, dtype, value)
    return struct.unpack("<4I", data * (16 // len(data)))


def float_words(*values: float) -> Ints:
    """Return numbers rounded to float32, as words."""
    with np.errstate(over="ignore"):
        return tuple(np.array(values, np.float32).view(np.uint32).tolist())


def to_bytes(what: str, name: str, dtype: DType, value: Any) -> bytes:
    """Return the bytes of an element with this value: floats are rounded, integers must fit."""
    if dtype.kind in "iu":
        return _integer(what, name, dtype, value).to_bytes(8, "little")[: dtype.itemsize]
    if dtype.kind == "c":
        number = value.item() if isinstance(value, (np.ndarray, np.generic)) else value
        is_complex = isinstance(number, complex)
        parts = (number.real, number.imag) if is_complex else (number, 0.0)
        return b"".join([rounded(what, name, dtype.part.numpy_name, part) for part in parts])
    return rounded(what, name, dtype.numpy_name, value)


def rounded(what: str, name: str, kind: str, value: object) -> bytes:
    """Return the bytes of a real number, rounded.

    NumPy alone would also accept strings, None and complex numbers.
    """
    letter = _LETTERS.get(kind)
    if type(value) is float and letter is not None:  # Same result, much faster than NumPy.
        try:
            return struct.pack(letter, value)
        except OverflowError:
            pass  # It becomes infinite below.
    number = value[()] if isinstance(value, np.ndarray) else value
    if isinstance(number, (numbers.Real, np.bool_)):
        try:
            with np.errstate(all="ignore"):
                return np.array(number).astype(kind).tobytes()
        except (OverflowError, TypeError):
            pass  # An int beyond all floats, or not a number.
    rule = f"{name} must be a number that {kind} can hold"
    raise DTypeError(what, rule, **{name: value})


def _integer(what: str, name: str, dtype: DType, value: Any) -> int:
    """Return an integer that fits the dtype, modulo 2**64."""
    bits = 8 * dtype.itemsize
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if dtype.kind == "i" else (0, 2**bits)
    try:
        number = operator.index(value)
    except TypeError:
        number = high
    if not low <= number < high:
        rule = f"{name} must be an integer that {dtype.name} can hold"
        raise DTypeError(what, rule, **{name: value})
    return number % 2**64


def _later(pack: Callable[..., Ints], *arguments: Any) -> Ints:
    """Return placeholders for the words of a number that each call passes anew."""
    *before, value = arguments
    return NumberWords(value.operand, pack, tuple(before)).words(len(pack(*before, 1)))
