"""Compiled functions beside the functions themselves, NumPy, and PyTorch and JAX if installed.

Every call waits for its results. `host` is the time of a call alone, before the device is done.
The cases are programs, not calls on operands, so they are not in the table of the package.
"""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import dml_vk
from bench.cases import describe
from dml_vk import nn

HAS = {name: importlib.util.find_spec(name) is not None for name in ("torch", "jax")}
WIDE = "residual network of 64 channels, NCHW"
IMAGES, ELEMENTS = (8, 64, 56, 56), (2**20,)


def normalise(x, m, s, g, b):
    return (x - m) / s * g + b


def chain(x, *_):
    for _ in range(4):
        x = abs(x * 1.5 + 0.25)
    return x


def tiny(x, *_):
    for _ in range(100):
        x = x + 1.0
    return x


def products(x, *_):
    for _ in range(100):
        x = x @ x
    return x


def residual(x, *weights):
    """Blocks of two convolutions."""
    for first, second in zip(weights[::2], weights[1::2]):
        y = nn.conv(dml_vk.relu(nn.conv(x, first, padding=1)), second, padding=1)
        x = dml_vk.relu(x + y)
    return x.mean(axis=(2, 3))


def values(*sizes):
    return np.random.default_rng(sum(sizes)).standard_normal(sizes, np.float32)


def of_channels():
    return [np.abs(values(64, 1, 1)) + 1 for _ in range(4)]


# case: (function, x, further operands)
CASES = {
    "normalise NHWC": (normalise, values(*IMAGES), of_channels()),
    "12 operations": (chain, values(*ELEMENTS), []),
    "100 additions": (tiny, values(16), []),
    "100 products of 4 x 4": (products, values(4, 4) / 4, []),
    "residual network": (
        residual,
        values(1, 16, 14, 14),
        [values(16, 16, 3, 3) / 12 for _ in range(16)],
    ),
    WIDE: (
        residual,
        values(1, 64, 28, 28),
        [values(64, 64, 3, 3) / 24 for _ in range(8)],
    ),
}
ANYWHERE = ("normalise NHWC", "12 operations", "100 additions", "100 products of 4 x 4")


def of_dml_vk(array):
    form = dml_vk.channels_last if array.shape == IMAGES else dml_vk.contiguous_format
    return dml_vk.asarray(array, memory_format=form)


def caller(case, who):
    """A call, and what makes NumPy's array of its result."""
    function, x, more = CASES[case]
    if who in ("dml_vk", "compiled", "compiled, auto", "compiled, host"):
        operands = [of_dml_vk(x), *map(dml_vk.asarray, more)]
        layout = "auto" if who == "compiled, auto" else None
        run = function if who == "dml_vk" else dml_vk.compile(function, layout=layout)

        def call():
            result = run(*operands)
            if who != "compiled, host":
                dml_vk.synchronize()
            return result

        return call, lambda result: result.numpy()
    if who == "numpy":
        operands = [of_dml_vk(x).numpy(), *more]
        return (lambda: function(*operands)), np.asarray
    if who == "jax.jit":
        import jax

        operands, run = list(map(jax.numpy.asarray, (x, *more))), jax.jit(function)
        return (lambda: run(*operands).block_until_ready()), np.asarray
    import torch

    operands = list(map(torch.from_numpy, (x, *more)))
    if x.shape == IMAGES:
        operands[0] = operands[0].contiguous(memory_format=torch.channels_last)
    run = torch.compile(function) if who == "torch.compile" else function
    return (lambda: run(*operands)), lambda result: result.numpy()


def everybody():
    for case in CASES:
        yield from ((case, who) for who in ("dml_vk", "compiled", "compiled, host"))
        if case == WIDE:
            yield case, "compiled, auto"
        others = {"numpy": True, "torch": HAS["torch"], "torch.compile": HAS["torch"]}
        others["jax.jit"] = HAS["jax"]
        if case in ANYWHERE:
            yield from ((case, who) for who, there in others.items() if there)


@pytest.mark.filterwarnings("ignore")  # of compilers
@pytest.mark.parametrize(("case", "who"), list(everybody()))
def test_program(benchmark, case, who):
    describe(benchmark, "programs", case, who)
    call, to_numpy = caller(case, who)
    first = to_numpy(call())
    dml_vk.synchronize()
    if who == "compiled, host":
        result = benchmark.pedantic(call, setup=dml_vk.synchronize, rounds=100)
    else:
        result = benchmark(call)
    assert np.array_equal(to_numpy(result), first)
    function, x, more = CASES[case]
    expected = function(of_dml_vk(x), *map(dml_vk.asarray, more)).numpy()
    assert np.allclose(first, expected, rtol=1e-4, atol=1e-4)


def fifty(x):
    """50 operations, among which are reductions and products."""
    for _ in range(5):
        x = dml_vk.tanh(x + 1) * 0.5
        x = dml_vk.exp(-abs(x))
        x = (x - dml_vk.mean(x, axis=1, keepdims=True)) * 2
        x = (x @ x.T) / 256
    return x


def test_a_first_call(benchmark, monkeypatch):
    """The driver keeps compiled kernels on disk too, unless MESA_SHADER_CACHE_DISABLE is true."""
    monkeypatch.setenv("DML_VK_CACHE", "off")
    describe(benchmark, "programs", "50 operations", "the first call")
    x = dml_vk.reshape(dml_vk.linspace(0.1, 2, 256 * 256), (256, 256))
    found = benchmark.pedantic(lambda: dml_vk.compile(fifty)(x).numpy(), rounds=1)
    assert np.allclose(found, fifty(x).numpy(), rtol=1e-4, atol=1e-4)
