"""Arithmetic sequences, computed exactly, in any layout."""

from __future__ import annotations

import operator
import struct
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.errors import DTypeError
from dml_vk.ops.indexed import write_indexed
from dml_vk.ops.numbers import rounded
from dml_vk.ops.view import View, check_target


def fill_sequence(what: str, target: View, dtype: DType, start: object, delta: object) -> None:
    """Write start + i * delta to element i, in logical row-major order.

    Floats are computed exactly from float64 start and delta, and rounded once; integers wrap.
    """
    check_target(what, target, "target")
    if dtype.kind in "bc":
        raise DTypeError(what, "dtype must be numeric and real", dtype=dtype)
    words = (*_wide_words(what, "start", dtype, start), *_wide_words(what, "delta", dtype, delta))
    if target.layout.numel:
        kind = dtype.name if dtype.kind == "f" else f"int{8 * dtype.itemsize}"
        write_indexed(what, "sequence", kind, target, words)


def _wide_words(what: str, name: str, dtype: DType, value: Any) -> Ints:
    """Return a value as 64 bits: a float64, or an integer modulo 2**64, so that steps wrap."""
    if dtype.kind == "f":
        return struct.unpack("<2I", rounded(what, name, "float64", value))
    try:
        number = operator.index(value) % 2**64
    except TypeError:
        rule = f"{name} must be an integer for dtype {dtype.name}"
        raise DTypeError(what, rule, **{name: value}) from None
    return number & 0xFFFFFFFF, number >> 32
