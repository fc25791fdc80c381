"""Reductions into an existing result, compared with NumPy's and PyTorch's.

Bytes are counted as read. The copy is the simplest kernel on the device; it writes as many bytes as
it reads.
"""

from __future__ import annotations

import numpy as np
import pytest

from bench.cases import WHO, channels_last, measure
from dml_vk.commands.cases.case import copy_into

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
    return channels_last(array) if kind == "NHWC" else array


def into(name, axis):
    """What computes it into memory that is there."""
    if name == "copy":
        return lambda xp, x, out: copy_into(xp, out, x)
    return lambda xp, x, out: getattr(xp, name)(x, axis=axis, out=out)


def by_torch(name, axis):
    if name == "copy":
        return lambda xp, x, out: out.copy_(x)
    if name == "var":
        return lambda xp, x, out: xp.var(x, dim=axis, correction=0)
    if axis is None:
        return lambda xp, x, out: getattr(xp, name)(x)
    return lambda xp, x, out: getattr(xp, "amax" if name == "max" else name)(x, dim=axis)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", CASES)
def test_reduce(benchmark, case, who):
    name, axis, dtype, kind = CASES[case]
    array = operand(dtype, kind)
    result = array if name == "copy" else np.asarray(getattr(array, name)(axis=axis))
    calls = {"dml_vk": into(name, axis), "numpy": into(name, axis), "torch": by_torch(name, axis)}
    operands = [array, np.zeros_like(result)]
    result = measure(benchmark, "reduce", case, who, calls, operands, array.nbytes)
    if name == "copy":
        assert np.array_equal(result, array)
    elif who == "dml_vk":
        wide = array.astype(np.float64) if array.dtype.kind == "f" else array
        assert np.allclose(result, getattr(wide, name)(axis=axis), rtol=2e-3)
