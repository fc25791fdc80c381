"""One case: its operands, and how each library computes it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dml_vk.testing.arrays import Array as Array

Module = Any  # a library's, such as `numpy`
Values = Any  # an array of a library's own class
Call = Callable[..., Values]  # of the library's module, and of the operands
Sizes = tuple[int, int, int, int]  # NCHW


@dataclass(frozen=True)
class Into:
    """How dml_vk and NumPy compute a case into memory that is there, which `bench` compares."""

    name: str
    about: str  # shown in reports
    out: Callable[[], Array]  # memory of the result
    call: Call  # of the library's module, `out` and the operands; it returns the result
    numpys: Call | None = None  # if NumPy has another name for it
    tolerance: float = 0.0  # relative; 0 compares bits
    expected: Callable[[], Array] | None = None  # the first results, if NumPy's call gives others


@dataclass(frozen=True)
class Case:
    """A call on arrays, which are made when it is timed."""

    name: str
    arrays: Callable[[], list[Array]]
    call: Call | None
    """The call that returns new memory; None if other libraries are not timed beside it."""

    others: Mapping[str, Call | None] = field(default_factory=dict)
    """How libraries compute it that have other names for it; None where one has none."""

    nbytes: int = 0  # read and written, if memory is the bottleneck
    operations: int = 0  # of floats, if they are
    is_compared: bool = True  # whether libraries must agree about the first elements
    into: Into | None = None
    group: str = ""  # of a case by kernel
    tolerance: float = 0.0  # of such a case: relative to the largest element; 0 compares bits

    def by(self, library: str) -> Call | None:
        return self.others.get(library, self.call)

    def rate(self, seconds: float) -> tuple[float, str]:
        """GB/s, or GFLOP/s if arithmetic is the bottleneck; 0 and nothing for a call alone."""
        if self.nbytes:
            return self.nbytes / seconds / 1e9, "GB/s"
        return self.operations / seconds / 1e9, "GFLOP/s" if self.operations else ""


@functools.lru_cache(1)  # most cases of a table have operands of one shape
def _drawn(shape: tuple[int, ...]) -> Array:
    return np.random.default_rng(3).random(shape, np.float32)


def numbers(*shape: int) -> Array:
    """float32 of the same random numbers each time."""
    drawn: Array = _drawn(shape).copy()
    return drawn


def channels_last(*sizes: int) -> Array:
    """The same with sizes NCHW, in the memory order NHWC."""
    batch, channels, *rest = sizes
    return _to_last(numbers(batch, *rest, channels))


def empty_last(*sizes: int) -> Array:
    """Memory for float32 with sizes NCHW, in the memory order NHWC."""
    batch, channels, *rest = sizes
    return _to_last(np.empty((batch, *rest, channels), np.float32))


def _to_last(pixels: Array) -> Array:
    view: Array = pixels.transpose(0, 3, 1, 2)
    return view


def empty(dtype: str, *shape: int) -> Callable[[], Array]:
    """A function that allocates memory for a result."""
    return lambda: np.empty(shape, dtype)


def copy_into(xp: Module, out: Values, x: Values) -> Values:
    """Copy x to memory that is there."""
    if xp is np:
        np.copyto(out, x, casting="same_kind")
    else:
        xp.copy(x, out)
    return out
