"""How a benchmark runs a case by each library, and describes itself for the table at the end."""

from __future__ import annotations

import functools
import importlib.util

import numpy as np

import dml_vk
from dml_vk.commands.cases.libraries import NumPy, Ours, Torch

OTHERS = ("torch",) if importlib.util.find_spec("torch") is not None else ()
WHO = ("dml_vk", "numpy", *OTHERS)
FORMATS = {"NCHW": dml_vk.contiguous_format, "NHWC": dml_vk.channels_last}


def describe(benchmark, group, case, who, nbytes=None, calls=1):
    """Describe it: `who` ran `case`, `calls` times a round, and moved this many bytes each time."""
    benchmark.group = group
    benchmark.extra_info.update(case=case, who=who, calls=calls)
    if nbytes:
        benchmark.extra_info.update(nbytes=nbytes)


def finish(benchmark, nbytes=0, operations=0):
    """Add gigabytes per second, or billions of operations, after it has run."""
    if benchmark.stats:  # None where benchmarks run as plain tests
        for unit, amount in {"GB/s": nbytes, "GFLOP/s": operations}.items():
            if amount:
                rate = amount / benchmark.stats.stats.median / 1e9
                benchmark.extra_info[unit] = round(rate, 2)


@functools.cache
def library(who):
    """PyTorch computes on the CPU, as NumPy does."""
    return {"dml_vk": lambda: Ours(dml_vk.device()), "numpy": NumPy, "torch": on_cpu}[who]()


def on_cpu():
    return Torch(may_use_gpu=False)


def measure(benchmark, case, who, arrays, nbytes):
    """Time a case and its wait, and return its result as an array."""
    describe(benchmark, case.group, case.name, who, nbytes)
    theirs, call = library(who), case.by(who)
    operands = [theirs.array(array) for array in arrays]

    def waited():
        result = call(theirs.module, *operands)
        theirs.wait()
        return result

    result = benchmark(waited)
    finish(benchmark, nbytes, case.operations)
    return result if isinstance(result, tuple) else np.asarray(result)
