"""Nested arguments and results: their leaves, and how to put them together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dml_vk.tensor.core import Tensor


class Leaf:
    """Where a tensor was, in the structure of arguments or results."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def flatten(value: Any, tensors: list[Tensor]) -> Any:
    """Return the structure of a value as a key; its tensors are added to the list.

    Tuples, lists and dicts may be nested. Anything else is part of the key, with its type, since
    1, 1.0 and True are equal.
    """
    kind = type(value)
    if kind is Tensor:
        tensors.append(value)
        return value.spec
    if isinstance(value, (tuple, list)):
        return (kind, *[flatten(one, tensors) for one in value])
    if isinstance(value, dict):
        return (kind, tuple(value), *[flatten(one, tensors) for one in value.values()])
    if kind is float:  # 0.0 and -0.0 are equal, and NaN is not equal to itself
        return (kind, value.hex())
    return (kind, value)


def replace(value: Any, change: Callable[[Tensor], Any]) -> Any:
    """Return the same structure with other things in place of its tensors."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, (tuple, list)):
        return _like(value, [replace(one, change) for one in value])
    if isinstance(value, dict):
        return {key: replace(one, change) for key, one in value.items()}
    return value


def build(value: Any, made: Sequence[Any]) -> Any:
    """Return the structure with what stands for its leaves."""
    if type(value) is Leaf:
        return made[value.number]
    if isinstance(value, (tuple, list)):
        return _like(value, [build(one, made) for one in value])
    if isinstance(value, dict):
        return {key: build(one, made) for key, one in value.items()}
    return value


def _like(value: Any, parts: list[Any]) -> Any:
    """A tuple or list of the same type; a named tuple takes its parts one by one."""
    kind = type(value)
    return kind(*parts) if hasattr(kind, "_make") else kind(parts)
