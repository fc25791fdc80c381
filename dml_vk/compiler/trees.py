"""Nested arguments and results: their leaves, and how to put them together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np

from dml_vk.tensor.core import Tensor


class Leaf:
    """Where a tensor was, in the structure of results."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def flatten(value: Any, tensors: list[Tensor], numbers: list[float] | None) -> object:
    """Return the structure of a value as a key; its tensors and numbers are added to the lists.

    Tuples, lists and dicts may be nested. Anything else is part of the key, with its type, since
    1, 1.0 and True are equal. Without a list for them, so are numbers.
    """
    kind = type(value)
    if kind is Tensor:
        tensors.append(value)
        return value.spec
    if isinstance(value, (tuple, list)):
        return (kind, *[flatten(item, tensors, numbers) for item in value])
    if isinstance(value, dict):
        keys = [(type(key), exactly(key)) for key in value]
        return (kind, *keys, *[flatten(item, tensors, numbers) for item in value.values()])
    if numbers is not None and (kind is float or kind is int):
        numbers.append(value)
        return kind
    if kind is slice:  # which no Python before 3.12 can hash
        return (kind, exactly(value.start), exactly(value.stop), exactly(value.step))
    return (kind, exactly(value))


def exactly(value: Any) -> object:
    """A key for a value: 0.0 and -0.0 are equal, and NaN is not equal to itself."""
    kind = type(value)
    if kind is float:
        return value.hex()
    if kind is complex:
        return value.real.hex(), value.imag.hex()
    return (value.dtype, value.tobytes()) if isinstance(value, np.generic) else value


def replace(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the same structure, of the same types, with what `change` makes of its leaves."""
    kind = type(value)
    if isinstance(value, tuple):
        parts = [replace(item, change) for item in value]
        return tuple(parts) if kind is tuple else tuple.__new__(kind, parts)
    if isinstance(value, list):
        parts = [replace(item, change) for item in value]
        if kind is list:
            return parts
        same: Any = copy(value)
        same[:] = parts
        return same
    if isinstance(value, dict):
        same = {} if kind is dict else copy(value)
        for key, item in value.items():
            same[key] = replace(item, change)
        return same
    return change(value)


def build(value: object, leaves: Sequence[object]) -> Any:
    """Return the structure with what stands for its leaves."""
    return replace(value, lambda leaf: leaves[leaf.number] if type(leaf) is Leaf else leaf)
