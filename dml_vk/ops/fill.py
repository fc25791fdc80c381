"""Fills: a constant, an exact sequence, or values made of indexes, in any layout."""

from __future__ import annotations

import operator
import struct
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.errors import DTypeError
from dml_vk.kernels.plan.generate import plan_fill, plan_indexed
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.numbers import pattern_words, rounded
from dml_vk.ops.view import View, access, check_target, temporary


def fill_constant(what: str, target: View, dtype: DType, value: Any) -> None:
    """Write one value to all elements."""
    check_target(what, target, "target")
    words = pattern_words(what, "value", dtype, value)
    if target.layout.numel:
        layout, device = target.layout, target.device
        plan = plan_fill(
            layout.sizes, layout.strides, target.dtype.itemsize, layout.offset, device.profile
        )
        device.launch(plan, (access(target, True),), words)


def fill_sequence(what: str, target: View, dtype: DType, start: Any, delta: Any) -> None:
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


def write_indexed(
    what: str,
    kernel: str,
    kind: str,
    target: View,
    words: Ints,
    *,
    first: int = 0,
    whole: Ints = (),
    sources: tuple[View, ...] = (),
    constants: tuple[tuple[str, int], ...] = (),
) -> None:
    """Make elements of their indexes, with a kernel that takes the params `words` and `sources`.

    If they are part of an array of the sizes `whole`, indexes are those there, from `first` on.
    """
    layout, device = target.layout, target.device
    plan = plan_indexed(
        *(kernel, kind, layout.sizes, layout.strides, target.dtype.itemsize, layout.offset),
        device.profile,
        first=first,
        whole=whole,
        sources=tuple([source.dtype.itemsize for source in sources]),
        constants=constants,
    )
    if plan is None:
        # Too many dims remain after merging: write to packed memory and copy.
        packed = temporary(what, Layout.packed(layout.sizes), target.dtype, target)
        operation = what, kernel, kind, packed, words
        write_indexed(*operation, first=first, whole=whole, sources=sources, constants=constants)
        copy_elements(what, packed, target)
        return
    operands = [access(source, False) for source in sources]
    device.launch(plan, (*operands, access(target, True)), words)


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
