"""Elementwise operators into existing memory, compared with NumPy's and PyTorch's.

Bytes are counted as read and written. PyTorch is also timed as it is usually used, `a + b` into new
memory. The copy in each group is the simplest kernel on the device.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

from bench.cases import WHO, channels_last, measure
from dml_vk.kernels.operators import OPERATORS
from dml_vk.testing.elementwise import cast, reference, ulps_apart

SIZES = (16, 64, 128, 128)
HALVES, BYTES, WIDE = "float16", "uint8", "float64"

# group: {case: (operator, operands as dtype and kind, dtype of the result)}
FLAT = ("float32", "flat")
CASES = {
    "unary": {
        name: (name, [FLAT], "float32")
        for name in (
            *("abs", "sqrt", "rsqrt", "reciprocal", "floor", "exp", "expm1", "log", "log1p"),
            *("sin", "cos", "tan", "tanh", "sinh", "atan", "asin", "erf", "gelu", "sigmoid"),
            *("softplus", "relu"),
        )
    }
    | {
        "abs, float16": ("abs", [(HALVES, "flat")], HALVES),
        "exp, float16": ("exp", [(HALVES, "flat")], HALVES),
        **{
            f"{name}, float64": (name, [(WIDE, "flat")], WIDE)
            for name in ("sqrt", "exp", "log", "sin", "tanh", "atan")
        },
    },
    "binary": {
        "add": ("add", [FLAT, FLAT], "float32"),
        "add (1,64,1,1)": ("add", [FLAT, ("float32", "bias")], "float32"),
        "add NCHW + NHWC": ("add", [FLAT, ("float32", "NHWC")], "float32"),
        "multiply": ("multiply", [FLAT, FLAT], "float32"),
        "divide": ("divide", [FLAT, FLAT], "float32"),
        "pow": ("pow", [FLAT, FLAT], "float32"),
        "atan2": ("atan2", [FLAT, FLAT], "float32"),
        "maximum": ("maximum", [FLAT, FLAT], "float32"),
        "less": ("less", [FLAT, FLAT], "bool"),
        "add, float16": ("add", [(HALVES, "flat"), (HALVES, "flat")], HALVES),
        "add, uint8": ("add", [(BYTES, "flat"), (BYTES, "flat")], BYTES),
        "add, int64": ("add", [("int64", "flat"), ("int64", "flat")], "int64"),
        "floor_divide, int32": ("floor_divide", [("int32", "flat"), ("int32", "flat")], "int32"),
        "floor_divide, int64": ("floor_divide", [("int64", "flat"), ("int64", "flat")], "int64"),
        "add, float64": ("add", [(WIDE, "flat"), (WIDE, "flat")], WIDE),
        "pow, float64": ("pow", [(WIDE, "flat"), (WIDE, "flat")], WIDE),
    },
    "where": {
        "where": ("where", [("bool", "flat"), FLAT, FLAT], "float32"),
        "where, bias": ("where", [("bool", "flat"), FLAT, ("float32", "bias")], "float32"),
        "where, float16": ("where", [("bool", "flat"), (HALVES, "flat"), (HALVES, "flat")], HALVES),
    },
    "cast": {
        f"{source} to {target}": ("astype", [(source, "flat")], target)
        for source, target in (
            *(("float32", HALVES), (HALVES, "float32"), (BYTES, "float32"), ("float32", BYTES)),
            *(("float32", "int32"), ("int32", "float32"), ("int32", "int64"), ("int64", "int32")),
            *(("float32", WIDE), (WIDE, "float32"), ("float32", "bool")),
        )
    },
}
ROWS = [
    (group, case, who)
    for group, cases in CASES.items()
    for case, (name, _, _) in cases.items()
    for who in WHO
    if who != "numpy" or name == "astype" or OPERATORS[name].numpy is not None
]


def operand(seed, dtype, kind):
    sizes = (1, SIZES[1], 1, 1) if kind == "bias" else SIZES
    values = np.random.default_rng(seed).uniform(0.1, 0.9, sizes)
    if dtype == "bool":
        values = values > 0.5
    elif np.dtype(dtype).kind in "iu":
        values *= 100
    array = values.astype(dtype)
    return channels_last(array) if kind == "NHWC" else array


def by_dml_vk(name, xp, out, *xs):
    if name == "astype":
        return xp.astype(*xs, out.dtype, out=out)
    return getattr(xp, name)(*xs, out=out)


def by_numpy(name, xp, out, *xs):
    if name in ("astype", "where"):
        return np.copyto(out, xs[0] if name == "astype" else np.where(*xs), casting="unsafe")
    return getattr(np, OPERATORS[name].numpy or name)(*xs, out=out)


def by_torch(name, xp, out, *xs):
    if name == "astype":
        return out.copy_(*xs)
    if name in ("relu", "gelu", "softplus"):
        return getattr(xp.nn.functional, name)(*xs)
    if name == "add":  # as it is written
        return xs[0] + xs[1]
    return getattr(xp, {"less": "lt"}.get(name, name))(*xs, out=out)


CALLS = {"dml_vk": by_dml_vk, "numpy": by_numpy, "torch": by_torch}


def check(name, arrays, found):
    """A corner of each channel is what it is to be."""
    corners = [array[:1, :, :3, :3] for array in arrays]
    found = found[:1, :, :3, :3]
    if name == "astype":
        expected, ulp = cast(corners[0], found.dtype.name), 0
    else:
        expected, ulp = reference(name, *corners), OPERATORS[name].ulp
    if found.dtype.kind == "f":
        assert ulps_apart(found, expected).max() <= ulp
    else:
        assert np.array_equal(found, expected)


@pytest.mark.parametrize(("group", "case", "who"), ROWS)
def test_elementwise(benchmark, group, case, who):
    name, operands, dtype = CASES[group][case]
    arrays = [operand(seed, *parts) for seed, parts in enumerate(operands)]
    out = np.zeros_like(arrays[-1] if operands[-1][1] == "NHWC" else arrays[0], dtype=dtype)
    nbytes = sum(array.nbytes for array in (*arrays, out))
    calls = {who: functools.partial(call, name) for who, call in CALLS.items()}
    result = measure(benchmark, group, case, who, calls, [out, *arrays], nbytes)
    if who == "dml_vk":
        check(name, arrays, result)
