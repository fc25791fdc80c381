"""Whatever anybody passes to anything public, it ends in a result or in an error of ours."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import math

import numpy as np
import pytest

import dml_vk
from dml_vk.array.creation.index_tricks import Grid, Joiner
from dml_vk.directml import Buffer
from dml_vk.dtypes import DType
from dml_vk.layout import Layout
from tests import tier
from tests.integration.unread import work_is_put_off
from tests.unit.strides.test_bad_input import refuses

X = dml_vk.asarray(np.arange(1, 13, dtype=np.int32).reshape(3, 4))
HOSTILE = {
    "None": None,
    "text": "x",
    "a name": "NHWC",
    "bytes": b"\0\1",
    "-1": -1,
    "0": 0,
    "3": 3,
    "float": 1.5,
    "nan": math.nan,
    "huge": 2**70,
    "hugely negative": -(2**70),
    "complex": 1j,
    "True": True,
    "list": [2, 3],
    "ragged": [[1], [1, 2]],
    "empty": (),
    "negative sizes": (-1, 2),
    "dict": {1: 2},
    "object": object(),
    "type": int,
    "function": len,
    "array": np.ones((3, 4), np.int32),
    "objects": np.array([None, "x"]),
    "numpy scalar": np.float16(2),
    "tensor": X,
    "tensor of another type": dml_vk.asarray([0.5, 1.5]),
    "empty tensor": dml_vk.empty((0, 4)),
    "layout": X.layout.permute(1, 0),
    "far layout": Layout((2,), (2**40,)),
    "format": dml_vk.channels_last,
    "preserve": dml_vk.preserve_format,
    "dtype": dml_vk.float16,
    "NumPy's dtype": np.dtype("c8"),
    "device": dml_vk.device(),
    "NaNs": [math.nan, math.inf],
}
FEW = ["None", "text", "3", "huge", "object", "tensor", "array", "nan"]


def generator():
    return dml_vk.random.Generator(7, counter=3)


ERRORS = [name for name in dml_vk.__all__ if name.endswith("Error")]
FUNCTIONS = {
    name: getattr(dml_vk, name)
    for name in dml_vk.__all__
    if callable(getattr(dml_vk, name)) and name not in ERRORS and name != "MemoryFormat"
}
METHODS = {
    **{f"Tensor.{name}": (lambda: X, name) for name in dir(dml_vk.Tensor)},
    **{f"Generator.{name}": (generator, name) for name in dir(dml_vk.random.Generator)},
    **{f"Buffer.{name}": (lambda: Buffer(8), name) for name in dir(Buffer)},
}
METHODS = {
    label: (make, name)
    for label, (make, name) in METHODS.items()
    if not name.startswith("_") and callable(getattr(make(), name))
}
KERNEL = dml_vk.kernel(
    """#version 450
    layout(local_size_x = 1) in;
    layout(binding = 0) buffer A { uint a[]; };
    layout(push_constant) uniform Push { uint a_base; float factor; };
    void main() { a[a_base] = uint(factor); }
    """
)
CALLS = {
    **FUNCTIONS,
    **{label: getattr(make(), name) for label, (make, name) in METHODS.items()},
    "Generator": dml_vk.random.Generator,
    "a new generator": lambda **given: dml_vk.random.Generator(**given).bits(2),
    "Buffer": Buffer,
    "a user's kernel": KERNEL,
}


def test_every_public_callable_is_tested():
    assert {"asarray", "copy", "device", "empty", "full", "kernel", "memory_stats"} <= set(CALLS)
    assert {"Tensor.numpy", "Tensor.over", "Generator.bits", "Buffer.write"} <= set(CALLS)
    not_callable = {
        name for name in dml_vk.__all__ if name not in FUNCTIONS and name not in ERRORS
    } - {"MemoryFormat"}
    values = (DType, dml_vk.MemoryFormat, float, type(None), Grid, Joiner)
    for name in not_callable:
        value = getattr(dml_vk, name)
        assert isinstance(value, values) or inspect.ismodule(value), name


def lists_of_arguments():
    """Anything first, or after a few others: a wrong first one is mostly told at once."""
    whole = itertools.product(("tensor", "3"), HOSTILE)
    return dict.fromkeys(
        [
            *((), *((name,) for name in HOSTILE)),
            *(itertools.product(FEW, HOSTILE) if tier.is_all() else whole),
            *(() if tier.is_all() else tier.crossed(FEW, HOSTILE)),
            *tier.crossed(FEW[:6], FEW[:6], FEW[:6]),
        ]
    )


ARGUMENTS = lists_of_arguments()


@pytest.fixture(scope="module")
def drop():
    """Forget what is queued: that all is fine with the kernels of any operands, others test."""
    with contextlib.nullcontext() if tier.is_all() else work_is_put_off() as unread:
        yield unread.drop if unread else lambda: None


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:.*invalid value encountered in cast:RuntimeWarning")
def test_hostile_arguments(name, drop):
    refused = 0
    for which in ARGUMENTS:
        if name == "vjp" and which[:1] == ("function",):
            continue  # it is called, and its error is not ours
        drop()
        refused += refuses(CALLS[name], *[HOSTILE[one] for one in which])
    drop()
    assert refused


NAMED = {
    "asarray": (([1, 2],), ("dtype", "device", "memory_format")),
    "empty": (((2, 3),), ("dtype", "device", "memory_format")),
    "full": (((2, 3),), ("fill_value", "dtype", "device", "memory_format")),
    "kernel": ((KERNEL.shader,), ("macros", "name")),
    "a new generator": ((), ("seed", "key", "counter", "device")),
    "a user's kernel": ((X,), ("groups", "push", "spec")),
}


@pytest.mark.parametrize(("name", "argument"), [(n, a) for n in NAMED for a in NAMED[n][1]])
def test_hostile_named_arguments(name, argument):
    given = {"fill_value": 1} if name == "full" else {}
    if name == "a user's kernel":
        given = {"groups": 1, "push": [2.5]}
    refused = sum(
        refuses(CALLS[name], *NAMED[name][0], **{**given, argument: value})
        for value in HOSTILE.values()
    )
    assert refused


MATRIX = dml_vk.asarray([[1.0, 2.0], [3.0, 4.0]])
# What each function needs beside a switch, where that is not one matrix.
BESIDE = {
    **dict.fromkeys(("geomspace", "linspace", "logspace"), (1, 2, 3)),
    "dml_vk.astype": (MATRIX, "float32"),
    "Tensor.astype": ("float32",),
    "reshape": (MATRIX, 4),
    "trace": (),
    "integers": (5,),
    "top_k": (MATRIX, 1),
    **dict.fromkeys(("allclose", "array_equal", "isclose", "isin"), (MATRIX, MATRIX)),
    **dict.fromkeys(("in1d", "intersect1d", "setdiff1d", "setxor1d"), (MATRIX, MATRIX)),
    "digitize": (MATRIX, MATRIX[0]),
    "fill_diagonal": (MATRIX, 1.0),
    "histogram2d": (MATRIX[0], MATRIX[1]),
    "vander": (MATRIX[0],),
    **dict.fromkeys(("nanpercentile", "nanquantile", "percentile", "quantile"), (MATRIX, 0.5)),
}
SWITCHES = {
    (f"{where}.{name}", parameter.name): getattr(home, name)
    for where, home in {
        "dml_vk": dml_vk,
        "linalg": dml_vk.linalg,
        "Tensor": MATRIX,
        "Generator": generator(),
    }.items()
    for name in dir(home)
    if inspect.isroutine(getattr(home, name, None)) and not hasattr(object, name)
    for parameter in inspect.signature(getattr(home, name)).parameters.values()
    if parameter.annotation in ("bool", "bool | None")
}


def test_bool_parameters_are_found():
    assert {("dml_vk.astype", "copy"), ("Tensor.sum", "keepdims")} <= set(SWITCHES)
    assert {("Generator.integers", "endpoint"), ("linalg.vector_norm", "keepdims")} <= set(SWITCHES)


@pytest.mark.parametrize(("name", "switch"), SWITCHES)
def test_switches_are_bools(name, switch):
    where, _, function = name.partition(".")
    beside = () if where == "Tensor" else (MATRIX,)
    beside = BESIDE.get(name, BESIDE.get(function, beside))
    axis = {"axis": 0} if function.startswith(("cumulative", "argsort", "sort")) else {}

    def call(value):
        result = SWITCHES[name, switch](*beside, **axis, **{switch: value})
        if function == "trace":
            result.__enter__()  # what makes a `with` looks when that begins

    told = rf"\w+: {switch} must be a bool( or None)?; got "
    for value in (np.array([1, 2]), 2, "yes"):
        with pytest.raises(dml_vk.DTypeError, match=told):
            call(value)


def test_the_device_still_works_afterwards():
    y = dml_vk.empty((4, 3), np.int32)
    x = dml_vk.asarray(np.arange(12, dtype=np.int32).reshape(3, 4))
    dml_vk.copy(x.over(x.layout.permute(1, 0)), y)
    assert np.array_equal(y.numpy(), np.arange(12).reshape(3, 4).T)
