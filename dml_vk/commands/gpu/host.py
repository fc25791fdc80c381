"""What calls, waits and transfers cost on the host, and whether a long chain stays in order."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dml_vk as dv
from dml_vk.commands.cases.arithmetic import chain
from dml_vk.commands.figures import rounded
from dml_vk.commands.measure import medians
from dml_vk.runtime.device import synchronize

SECONDS = 0.5  # per case
CALLS = 1000
STEPS = 1000  # of a chain, each of three operations
CHAINS = 10
WORDS = 4096
MULTIPLIER = 747796405

Words = NDArray[np.uint32]


def costs() -> dict[str, float]:
    """Microseconds of small operations, by what is repeated. Waits are included."""
    a, b = (dv.asarray(np.linspace(low, 2, 1024, dtype=np.float32)) for low in (0.5, 0.25))
    calls: dict[str, tuple[int, Callable[[], object]]] = {
        "one a + b and its wait": (1, lambda: a + b),
        "each of 1000 independent a + b": (CALLS, lambda: [a + b for _ in range(CALLS)]),
        "each of 100 dependent a + b": (100, lambda: chain(a, b, 100)),
        "each of 1000 dependent a + b": (CALLS, lambda: chain(a, b, CALLS)),
        "one sum and its wait": (1, lambda: a.sum()),
        "one float(x)": (1, lambda: float(a[7])),
    }
    microseconds = {}
    for name, (count, call) in calls.items():
        run = functools.partial(_waited, call)
        run()
        (seconds,) = medians([run], SECONDS)
        microseconds[name] = rounded(1e6 * seconds / count)
    return microseconds


def _waited(call: Callable[[], object]) -> None:
    call()
    synchronize()


def transfers(nbytes: int) -> dict[str, object]:
    """GB/s of an upload to memory that is there, and of a download to a new array."""
    data = np.arange(nbytes // 4, dtype=np.uint32)
    buffer = dv.Buffer(data.nbytes)
    buffer.write(data)
    same = bool(np.array_equal(buffer.read(dtype="uint32"), data))
    seconds = medians([lambda: _waited(lambda: buffer.write(data)), buffer.read], SECONDS)
    upload, download = (rounded(data.nbytes / spent / 1e9) for spent in seconds)
    return {"nbytes": data.nbytes, "agrees": same, "upload": upload, "download": download}


def order() -> dict[str, object]:
    """Run long chains, in which each operation needs the one before, and check every result.

    One of the two tensors is new in each step; the other is changed in place, after it was read.
    """
    start = np.arange(WORDS, dtype=np.uint32)
    expected = _chained(start, start[::-1].copy())
    begun, wrong = time.perf_counter(), 0
    for _ in range(CHAINS):
        result = _chained(dv.asarray(start), dv.asarray(start[::-1].copy()))
        wrong += not np.array_equal(np.asarray(result), expected)
    return {
        "operations": 3 * STEPS * CHAINS,
        "chains": CHAINS,
        "wrong": wrong,
        "seconds": rounded(time.perf_counter() - begun),
    }


def _chained(x: Any, y: Any) -> Any:
    factor = np.uint32(MULTIPLIER) if isinstance(x, np.ndarray) else MULTIPLIER
    for _ in range(STEPS):
        x = x * factor + y
        y ^= x
    return y
