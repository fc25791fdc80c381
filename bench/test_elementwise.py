"""Elementwise operators into existing memory, compared with NumPy's and PyTorch's.

Bytes are counted as read and written. PyTorch is also timed as it is usually used, `a + b` into new
memory. The copy in each group is the simplest kernel on the device.
"""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import dml_vk
from bench.cases import describe, finish
from dml_vk.kernels.operators import OPERATORS
from dml_vk.testing.elementwise import cast, reference, ulps_apart

HAS_TORCH = importlib.util.find_spec("torch") is not None
WHO = ("dml_vk", "numpy", "torch") if HAS_TORCH else ("dml_vk", "numpy")
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
    if kind == "NHWC":
        array = np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    return array


def by_numpy(name, arrays, out):
    if name == "astype":
        return lambda: np.copyto(out, arrays[0], casting="unsafe")
    if name == "where":
        return lambda: np.copyto(out, np.where(*arrays))
    function = getattr(np, OPERATORS[name].numpy or name)
    return lambda: function(*arrays, out=out)


def by_torch(name, arrays, out):
    import torch

    tensors = [torch.from_numpy(array) for array in arrays]
    result = torch.from_numpy(out)
    if name == "astype":
        return lambda: result.copy_(tensors[0])
    if name in ("relu", "gelu", "softplus"):
        function = getattr(torch.nn.functional, name)
        return lambda: function(tensors[0])
    if name == "add":  # as it is written
        return lambda: tensors[0] + tensors[1]
    function = getattr(torch, {"less": "lt"}.get(name, name))
    return lambda: function(*tensors, out=result)


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
    arrays = [operand(seed, *one) for seed, one in enumerate(operands)]
    out = np.zeros_like(arrays[-1] if operands[-1][1] == "NHWC" else arrays[0], dtype=dtype)
    nbytes = sum(array.nbytes for array in (*arrays, out))
    describe(benchmark, group, case, who, nbytes)
    if who == "dml_vk":
        tensors = [dml_vk.asarray(array) for array in arrays]
        target = dml_vk.asarray(out)
        function = getattr(dml_vk, name)
        given = [*tensors, dtype] if name == "astype" else tensors

        def call():
            function(*given, out=target)
            dml_vk.synchronize()

        benchmark(call)
        check(name, arrays, target.numpy())
    else:
        benchmark((by_numpy if who == "numpy" else by_torch)(name, arrays, out))
    finish(benchmark, nbytes)
