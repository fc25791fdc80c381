"""The table of cases of `python -m dml_vk bench --gpu --beside`, by pytest-benchmark.

Sizes are those that fill the device. With `--benchmark-json` each case has the device's copy rate
and the time of its kernels by the device's clock beside pytest-benchmark's own figures. PyTorch and
CuPy are timed too, if they are installed.
"""

from __future__ import annotations

import pytest

import dml_vk
from bench.cases import describe, finish
from dml_vk.commands.cases.libraries import opened
from dml_vk.commands.cases.table import cases
from dml_vk.commands.gpu.copy_rate import copy_rate
from dml_vk.commands.gpu.kernels import by_device

DEVICE = dml_vk.device()
SCALE = 1 if DEVICE.info.type == "cpu" else 64  # Mi elements of the largest operands
LIBRARIES, _ = opened(("torch", "cupy"), DEVICE)
CASES = {case.name: case for case in cases(SCALE)}
WAYS = [
    (name, library)
    for name, case in CASES.items()
    for library in LIBRARIES
    if case.by(library.name) is not None
]


@pytest.fixture(scope="module")
def rate():
    """The device's own copies, in GB/s."""
    return copy_rate(DEVICE, 4 * SCALE << 20)["rate"]


@pytest.mark.parametrize(
    ("name", "library"), WAYS, ids=[f"{name}-{library.name}" for name, library in WAYS]
)
def test_case(benchmark, rate, name, library):
    case = CASES[name]
    call, operands = case.by(library.name), [library.array(array) for array in case.arrays()]

    def waited():
        call(library.module, *operands)
        library.wait()

    describe(benchmark, "beside", name, library.name, case.nbytes or None)
    benchmark.extra_info.update(device=DEVICE.name, copy_rate=rate)
    if library.name == "dml_vk":
        seconds = by_device(lambda: call(library.module, *operands))
        if seconds:
            benchmark.extra_info["device_ms"] = round(1e3 * seconds, 5)
    benchmark.pedantic(waited, rounds=7, iterations=1, warmup_rounds=2)
    finish(benchmark, case.nbytes, case.operations)
    library.release()
