"""Fourier transforms beside NumPy's, SciPy's, PyTorch's, and VkFFT's where vkdispatch has it.

Bytes are counted as read once and written once, though most lengths take several launches. These
lengths have a file of their own for its libraries, which transform and do nothing else.
"""

from __future__ import annotations

import functools
import importlib.util

import numpy as np
import pytest

import dml_vk
from bench.cases import describe, finish

OTHERS = {"scipy": "scipy", "torch": "torch", "VkFFT": "vkdispatch"}
WHO = ("dml_vk", "numpy", *[who for who, name in OTHERS.items() if importlib.util.find_spec(name)])
POINTS = 2**20
CASES = {
    f"fft of {n}, {max(1, POINTS // n)} rows": (n, "complex64")
    for n in (16, 64, 256, 1024, 4096, 65536, 2**20, 360, 1000, 1009)
}
CASES |= {f"fft of {n}, {POINTS // n} rows, float64": (n, "complex128") for n in (64, 1024)}
CASES |= {f"rfft of {n}, {POINTS // n} rows": (n, "float32") for n in (256, 4096)}


RUNS = [
    (case, who)
    for case, (_, dtype) in CASES.items()
    for who in WHO
    if (who, dtype) != ("VkFFT", "complex128")  # which vkdispatch has not
]


@pytest.mark.parametrize(("case", "who"), RUNS)
def test_fft(benchmark, case, who):
    n, dtype = CASES[case]
    x = np.random.default_rng(1).normal(size=(max(1, POINTS // n), n)).astype(dtype)
    name = "fft" if x.dtype.kind == "c" else "rfft"
    expected = getattr(np.fft, name)(x)
    nbytes = x.nbytes + expected.nbytes
    describe(benchmark, "fft", case, who, nbytes)
    call, read = CALLS[who](name, x)
    benchmark(call)
    wrong = np.abs(read() - expected).max()
    assert wrong < (1e-4 if expected.dtype == np.complex64 else 1e-12) * np.abs(expected).max()
    finish(benchmark, nbytes)


def with_dml_vk(name, x):
    source = dml_vk.asarray(x)
    shape = (len(x), x.shape[1] // (1 if name == "fft" else 2) + (name == "rfft"))
    out = dml_vk.empty(shape, dtype="complex128" if x.dtype == "complex128" else "complex64")

    def call():
        getattr(dml_vk.fft, name)(source, out=out)
        dml_vk.synchronize()

    return call, out.numpy


def with_numpy(name, x):
    return lambda: getattr(np.fft, name)(x), lambda: getattr(np.fft, name)(x)


def with_scipy(name, x):
    import scipy.fft

    def call():
        return getattr(scipy.fft, name)(x, workers=-1)

    return call, call


def with_torch(name, x):
    import torch

    source, function = torch.from_numpy(x), getattr(torch.fft, name)
    return lambda: function(source), lambda: function(source).numpy()


def with_vkfft(name, x):
    """In place, on the same device as ours."""
    import vkdispatch
    from vkdispatch import vkfft

    open_vkdispatch()
    plain = name == "fft"
    buffer = vkdispatch.asbuffer(x) if plain else vkdispatch.asrfftbuffer(x)
    function = vkfft.fft if plain else vkfft.rfft

    def call():
        function(buffer)
        vkdispatch.queue_wait_idle()

    def read():
        fresh = vkdispatch.asbuffer(x) if plain else vkdispatch.asrfftbuffer(x)
        function(fresh)
        return fresh.read(0) if plain else fresh.read_fourier(0)

    return call, read


@functools.cache
def open_vkdispatch():
    import vkdispatch

    vkdispatch.make_context(use_cpu=dml_vk.device().info.type == "cpu")


CALLS = {
    "dml_vk": with_dml_vk,
    "numpy": with_numpy,
    "scipy": with_scipy,
    "torch": with_torch,
    "VkFFT": with_vkfft,
}
