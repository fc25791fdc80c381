"""One case: its operands, and how each library computes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Call = Callable[..., Any]  # of the library's module, and of the operands


@dataclass(frozen=True)
class Case:
    """A call on arrays, which are made when it is timed."""

    name: str
    arrays: Callable[[], list[Array]]
    call: Call
    others: Mapping[str, Call | None] = field(default_factory=dict)
    """How libraries compute it that have other names for it; None where one has none."""

    nbytes: int = 0  # read and written
    operations: int = 0  # of floats, if they and not memory are the bottleneck
    is_compared: bool = True  # whether libraries must agree about the first elements

    def by(self, library: str) -> Call | None:
        return self.others.get(library, self.call)


def numbers(*shape: int) -> Array:
    """float32 of the same random numbers each time."""
    drawn: Array = np.random.default_rng(3).random(shape, np.float32)
    return drawn


def channels_last(*sizes: int) -> Array:
    """The same with sizes NCHW, in the memory order NHWC."""
    batch, channels, *rest = sizes
    made: Array = np.ascontiguousarray(numbers(batch, *rest, channels)).transpose(0, 3, 1, 2)
    return made
