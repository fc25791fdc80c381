"""Fill: one value everywhere, or an exact sequence, in any layout."""

from __future__ import annotations

import numbers
import operator
import struct
from typing import Any

import numpy as np

from dml_vk.dtypes import DType
from dml_vk.errors import DTypeError, explain
from dml_vk.kernels.plan_made import plan_fill, plan_indexed
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.strided import Strided, room
from dml_vk.strides.order import Ints

_LETTERS = {"float16": "<e", "float32": "<f", "float64": "<d"}


def fill_constant(what: str, target: Strided, dtype: DType, value: Any) -> None:
    """Write one value to every element."""
    target.check_target(what, "target")
    data = to_bytes(what, "value", dtype, value)
    if target.layout.numel:
        layout, device = target.layout, target.device
        plan = plan_fill(
            layout.sizes, layout.strides, target.itemsize, layout.offset, device.limits
        )
        words = struct.unpack("<4I", data * (16 // len(data)))
        device.queue.launch(plan, (target.operand(True),), words)


def fill_sequence(what: str, target: Strided, dtype: DType, start: Any, delta: Any) -> None:
    """Element i, in logical row-major order, is start + i * delta.

    Floats are exact and rounded once, whatever the precision of start and delta as float64;
    integers wrap.
    """
    target.check_target(what, "target")
    if dtype.kind == "b":
        raise DTypeError(explain(what, "dtype must be numeric", dtype=dtype))
    words = (*_wide_words(what, "start", dtype, start), *_wide_words(what, "delta", dtype, delta))
    if target.layout.numel:
        kind = dtype.name if dtype.kind == "f" else f"int{8 * dtype.itemsize}"
        write_indexed(what, "sequence", kind, target, words)


def write_indexed(
    what: str,
    kernel: str,
    kind: str,
    target: Strided,
    words: Ints,
    *,
    sources: tuple[Strided, ...] = (),
    spec: Ints = (),
) -> None:
    """Elements made of their indexes, by a kernel that is told `words` and reads `sources`."""
    layout, device = target.layout, target.device
    plan = plan_indexed(
        *(kernel, kind, layout.sizes, layout.strides, target.itemsize, layout.offset),
        device.limits,
        sources=tuple([source.itemsize for source in sources]),
        spec=spec,
    )
    if plan is None:
        # Too many dims that do not merge: a copy takes them as they are.
        packed = room(what, Layout.packed(layout.sizes), target.itemsize, target)
        write_indexed(what, kernel, kind, packed, words, sources=sources, spec=spec)
        copy_elements(what, packed, target)
        return
    operands = [source.operand(False) for source in sources]
    device.queue.launch(plan, (*operands, target.operand(True)), words)


def to_bytes(what: str, name: str, dtype: DType, value: Any) -> bytes:
    """The element that holds a number: floats are rounded, integers must fit."""
    if dtype.kind in "iu":
        return _integer(what, name, dtype, value).to_bytes(8, "little")[: dtype.itemsize]
    return _rounded(what, name, dtype.numpy_name, value)


def _rounded(what: str, name: str, kind: str, value: Any) -> bytes:
    """A real number. NumPy alone would also take texts, None, and the real parts of others."""
    letter = _LETTERS.get(kind)
    if type(value) is float and letter is not None:  # The same, much sooner.
        try:
            return struct.pack(letter, value)
        except OverflowError:
            pass  # What becomes infinite.
    number = value[()] if isinstance(value, np.ndarray) else value
    if isinstance(number, (numbers.Real, np.bool_)):
        try:
            with np.errstate(all="ignore"):
                return np.array(number).astype(kind).tobytes()
        except (OverflowError, TypeError):
            pass  # Beyond all floats, which Python refuses to make infinite; or no number at all.
    must = f"{name} must be a number that {kind} can hold"
    raise DTypeError(explain(what, must, **{name: value}))


def _integer(what: str, name: str, dtype: DType, value: Any) -> int:
    """Modulo 2**64."""
    bits = 8 * dtype.itemsize
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if dtype.kind == "i" else (0, 2**bits)
    try:
        number = operator.index(value)
    except TypeError:
        number = high
    if not low <= number < high:
        must = f"{name} must be an integer that {dtype.name} can hold"
        raise DTypeError(explain(what, must, **{name: value}))
    return number % 2**64


def _wide_words(what: str, name: str, dtype: DType, value: Any) -> Ints:
    """As 64 bits: a float64, or an integer modulo 2**64, so that a step down is one up."""
    if dtype.kind == "f":
        return struct.unpack("<2I", _rounded(what, name, "float64", value))
    try:
        number = operator.index(value) % 2**64
    except TypeError:
        must = f"{name} must be an integer, as {dtype.name} is"
        raise DTypeError(explain(what, must, **{name: value})) from None
    return number & 0xFFFFFFFF, number >> 32
