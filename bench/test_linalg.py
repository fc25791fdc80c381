"""Decompositions of one matrix and of a batch of small ones, beside NumPy on the host."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import describe
from dml_vk import linalg

# function: what it is given, from a random matrix
FUNCTIONS = {
    "cholesky": lambda a: (positive(a),),
    "solve": lambda a: (a, a),
    "inv": lambda a: (a,),
    "det": lambda a: (a,),
    "qr": lambda a: (a,),
    "eigh": lambda a: (positive(a),),
    "eigvalsh": lambda a: (positive(a),),
    "svd": lambda a: (a,),
    "svdvals": lambda a: (a,),
}
SIZES = {"1000 of 8": (1000, 8, 8), "64": (64, 64), "256": (256, 256)}


def positive(a):
    return a @ np.swapaxes(a, -1, -2).conj() + a.shape[-1] * np.eye(a.shape[-1], dtype=a.dtype)


def all_of(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_linalg(benchmark, name, size, dtype, who):
    random = np.random.default_rng(1)
    a = random.standard_normal(SIZES[size])
    if np.dtype(dtype).kind == "c":
        a = (a + 1j * random.standard_normal(SIZES[size])) / np.sqrt(2)
    a = (a * 1.6 / np.sqrt(a.shape[-1])).astype(dtype)  # so that determinants are near 1
    given = FUNCTIONS[name](a)
    describe(benchmark, f"linalg, {dtype.__name__}", f"{name}, {size}", who)
    if who == "numpy":
        theirs = getattr(np.linalg, name, None)
        if theirs is None:  # `svdvals` of an older NumPy

            def theirs(x):
                return np.linalg.svd(x, compute_uv=False)

        found = all_of(benchmark(theirs, *given))
    else:
        tensors = [dml_vk.asarray(one) for one in given]

        def call():
            found = all_of(getattr(linalg, name)(*tensors))
            dml_vk.synchronize()
            return found

        found = [one.numpy() for one in benchmark(call)]
    assert all(np.isfinite(one).all() for one in found)
