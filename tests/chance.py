"""Random numbers of the case that runs: the same, whichever ran before it or are left out.

A generator of a module's own would give each test what the ones before it left over: a failure
would go away when its test runs alone, and Hypothesis could not repeat what it found.
"""

from __future__ import annotations

import zlib

import numpy as np
from hypothesis import register_random


class _Case:
    """Hypothesis knows it, by these three, and seeds it anew for each example."""

    def __init__(self) -> None:
        self.seed(0)

    def seed(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def getstate(self) -> np.random.Generator:
        return self.generator

    def setstate(self, state: np.random.Generator) -> None:
        self.generator = state


_case = _Case()
register_random(_case)


def begin(name: str) -> None:
    """The test of this name begins."""
    _case.seed(zlib.crc32(name.encode()))


def chance() -> np.random.Generator:
    """That of the test, or of its example, which runs. What modules hold is not made with it."""
    return _case.generator
