"""Reductions into an existing result, compared with NumPy's and PyTorch's.

Bytes are counted as read. The copy is the simplest kernel on the device; it writes as many bytes as
it reads.
"""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import dml_vk
from bench.cases import describe, finish

HAS_TORCH = importlib.util.find_spec("torch") is not None
WHO = ("dml_vk", "numpy", "torch") if HAS_TORCH else ("dml_vk", "numpy")
SIZES = (16, 64, 128, 128)

# case: (function, axis, dtype, format)
CASES = {
    "copy": ("copy", None, "float32", "NCHW"),
    "sum, all": ("sum", None, "float32", "NCHW"),
    "sum, all of NHWC": ("sum", None, "float32", "NHWC"),
    "sum, last axis": ("sum", 3, "float32", "NCHW"),
    "sum, first axis": ("sum", 0, "float32", "NCHW"),
    "sum, C of NCHW": ("sum", 1, "float32", "NCHW"),
    "sum, C of NHWC": ("sum", 1, "float32", "NHWC"),
    "sum, HW of NCHW": ("sum", (2, 3), "float32", "NCHW"),
    "sum, HW of NHWC": ("sum", (2, 3), "float32", "NHWC"),
    "mean, NHW of NHWC": ("mean", (0, 2, 3), "float32", "NHWC"),
    "var, NHW of NCHW": ("var", (0, 2, 3), "float32", "NCHW"),
    "max, all": ("max", None, "float32", "NCHW"),
    "max, C of NHWC": ("max", 1, "float32", "NHWC"),
    "argmax, last axis": ("argmax", 3, "float32", "NCHW"),
    "argmax, first axis": ("argmax", 0, "float32", "NCHW"),
    "any, all": ("any", None, "bool", "NCHW"),
    "sum, last axis, float16": ("sum", 3, "float16", "NCHW"),
    "sum, all, int32": ("sum", None, "int32", "NCHW"),
    "sum, all, uint8": ("sum", None, "uint8", "NCHW"),
    "sum, all, float64": ("sum", None, "float64", "NCHW"),
}


def operand(dtype, kind):
    values = np.random.default_rng(0).uniform(0.1, 0.9, SIZES)
    if dtype == "bool":
        values = values > 2  # none is, so that nobody may stop early
    elif np.dtype(dtype).kind in "iu":
        values *= 100
    array = values.astype(dtype)
    if kind == "NHWC":
        array = np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    return array


def by_numpy(name, array, axis):
    if name == "copy":
        out = np.empty_like(array)
        return lambda: np.copyto(out, array)
    out = np.empty_like(np.asarray(getattr(array, name)(axis=axis)))
    return lambda: getattr(np, name)(array, axis=axis, out=out)


def by_torch(name, array, axis):
    import torch

    tensor = torch.from_numpy(array)
    if name == "copy":
        out = torch.empty_like(tensor)
        return lambda: out.copy_(tensor)
    if name == "var":
        return lambda: torch.var(tensor, dim=axis, correction=0)
    if axis is None:
        return lambda: getattr(torch, name)(tensor)
    function = getattr(torch, "amax" if name == "max" else name)
    return lambda: function(tensor, dim=axis)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", CASES)
def test_reduce(benchmark, case, who):
    name, axis, dtype, kind = CASES[case]
    array = operand(dtype, kind)
    describe(benchmark, "reduce", case, who, array.nbytes)
    if who != "dml_vk":
        benchmark((by_numpy if who == "numpy" else by_torch)(name, array, axis))
    else:
        x = dml_vk.asarray(array)
        out = dml_vk.asarray(np.zeros_like(array)) if name == "copy" else None
        out = getattr(dml_vk, name)(x, axis=axis) if out is None else out

        def call():
            if name == "copy":
                dml_vk.copy(x, out)
            else:
                getattr(dml_vk, name)(x, axis=axis, out=out)
            dml_vk.synchronize()

        benchmark(call)
        found = out.numpy()
        if name == "copy":
            assert np.array_equal(found, array)
        else:
            wide = array.astype(np.float64) if array.dtype.kind == "f" else array
            assert np.allclose(found, getattr(wide, name)(axis=axis), rtol=2e-3)
    finish(benchmark, array.nbytes)
