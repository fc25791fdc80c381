"""What the device itself computes has the bits that integers give, in every kernel."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.codegen.library import load_for
from dml_vk.runtime import native_check, pipelines
from dml_vk.runtime.native_check import CHECKS, FEATURE, native_operations, operands
from tests.kernel.runtime.test_device import open_anew


@pytest.mark.parametrize("dtype", CHECKS)
@pytest.mark.parametrize("is_native", [False, True])
def test_both_variants_give_the_bits_of_ieee_754_here(monkeypatch, is_native, dtype):
    runtime = dml_vk.device()._runtime
    there = native_operations(runtime, dtype)
    assert there in (0, CHECKS[dtype].bits)
    bits = there if is_native else 0
    monkeypatch.setattr(runtime, "features", runtime.features | {FEATURE})
    monkeypatch.setattr(native_check, "load_for", lambda module, spec: load_for(module, (bits,)))
    assert native_operations(runtime, dtype) == CHECKS[dtype].bits


FUNCTIONS = {
    **{
        name: lambda x, y, name=name: getattr(dml_vk, name)(x, y)
        for name in ("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod")
    },
    **{
        name: lambda x, y, name=name: getattr(dml_vk, name)(x)
        for name in ("sqrt", "square", "reciprocal", "sum", "prod", "mean", "var")
    },
    "pow": lambda x, y: x**3,
    "clip": lambda x, y: x.clip(-1.5, 2.5),
    "celu": lambda x, y: dml_vk.celu(x, alpha=1.7),
    "hard_swish": lambda x, y: dml_vk.hard_swish(x),
    "softplus": lambda x, y: dml_vk.softplus(x, steepness=0.3),
    "sums of rows": lambda x, y: x.reshape((8, -1)).sum(axis=1),
    "cumulative_sum": lambda x, y: dml_vk.cumulative_sum(x),
    "cumulative_prod of columns": lambda x, y: dml_vk.cumulative_prod(x.reshape((-1, 8)), axis=0),
    "matmul": lambda x, y: x[:4096].reshape((16, 256)) @ y[:4096].reshape((256, 16)),
}


@pytest.fixture(scope="module")
def by_integers():
    """The device as if its own float64 were wrong."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipelines, "native_operations", lambda runtime, dtype: 0)
        device = open_anew(patch)
        for dtype in CHECKS:
            x = dml_vk.ones(3, dtype=dtype, device=device)
            assert (x / x).tolist() == [1.0, 1.0, 1.0]  # The answer is known from here on.
    return device


def bits(tensor):
    return tensor.numpy().view(f"uint{8 * tensor.dtype.itemsize}")


CASES = [(name, "float64") for name in FUNCTIONS]
CASES += [(name, "float32") for name in ("divide", "floor_divide", "sqrt", "reciprocal")]


@pytest.mark.parametrize(("name", "dtype"), CASES)
@pytest.mark.parametrize("kind", ["difficult", pytest.param("tame", marks=pytest.mark.product)])
def test_the_bits_are_the_same(by_integers, name, dtype, kind):
    if kind == "difficult":
        a, b = operands(CHECKS[dtype]).view(dtype).T
    else:
        a, b = np.random.default_rng(7).standard_normal((2, 8448)).astype(dtype)
    native = FUNCTIONS[name](dml_vk.asarray(a), dml_vk.asarray(b))
    known = FUNCTIONS[name](
        dml_vk.asarray(a, device=by_integers), dml_vk.asarray(b, device=by_integers)
    )
    assert np.array_equal(bits(native), bits(known))
    assert len(np.unique(bits(known))) > 1 or known.shape == ()
