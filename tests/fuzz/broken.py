"""Calls with every fault that the watch and the judge are there to find; `--only broken` alone."""

from __future__ import annotations

import os
import signal
from typing import Any

import dml_vk
from dml_vk.errors import LayoutError
from dml_vk.spirv.scalars import describe
from tests.fuzz.targets import Target, placed


def _dies() -> None:
    os.abort()


def _hangs() -> None:
    signal.pause()  # for a signal that never comes


def _foreign() -> None:
    describe([1])  # what has no `name` raises from within


def _formless() -> None:
    raise LayoutError("x", "it went wrong")


def _asserts() -> None:
    raise AssertionError


def _writes(x: Any) -> None:
    x[...] = 3


def _half_written(x: Any) -> None:
    x[...] = 3
    raise LayoutError("x", "it must hold", y=1)


_kept: list[Any] = []


def _leaks() -> None:
    _kept.append(dml_vk.zeros(2**15))


# The last is not what it says.
TARGETS = {
    target.name: target
    for target in (
        Target("broken.dies", _dies, []),
        Target("broken.hangs", _hangs, [], patience=1e-3),
        Target("broken.foreign", _foreign, []),
        Target("broken.formless", _formless, []),
        Target("broken.asserts", _asserts, []),
        Target("broken.writes", _writes, placed("self")),
        Target("broken.half_written", _half_written, placed("self"), writes=("self",)),
        Target("broken.leaks", _leaks, []),
    )
} | {"broken.add": Target("dml_vk.add", dml_vk.subtract, placed("self self"))}
