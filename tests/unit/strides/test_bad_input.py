"""Whatever goes in, what comes out is an answer or an error of ours that says what must hold."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from dml_vk.directml import (
    BufferTensorDesc,
    DataType,
    TensorFlags,
    TensorPolicy,
    calc_buffer_tensor_size,
    calculate_strides,
)
from dml_vk.errors import DmlVkError, LayoutError
from dml_vk.layout import (
    Layout,
    broadcast_sizes,
    channels_last,
    coalesce,
    concatenate,
    elementwise,
    preserve_format,
)
from tests import tier

NHWC = Layout.packed((2, 3, 4, 5), channels_last)
GARBAGE = [
    None, "x", "NHWC", "nChw3c", b"\0", 1.5, -99, 99, 0, 1, True, 2**70, (), (0, 0), (-1, None),
    [[1], 2], {1: 2}, object(), np.float32(1), np.zeros((2, 2)), np.array(3), channels_last,
    preserve_format, NHWC, int, iter((1, 2)), DataType.FLOAT32, TensorFlags.NONE,
]  # fmt: skip
THREE = tier.crossed(*[GARBAGE[:16]] * 3)

FUNCTIONS = {
    "Layout": Layout,
    "Layout.packed": Layout.packed,
    "broadcast_sizes": broadcast_sizes,
    "elementwise": elementwise,
    "concatenate": concatenate,
    "coalesce": coalesce,
    "BufferTensorDesc": BufferTensorDesc,
    "calc_buffer_tensor_size": calc_buffer_tensor_size,
    "calculate_strides": calculate_strides,
    "TensorPolicy.default": TensorPolicy.default,
    "TensorPolicy.interleaved_channel": TensorPolicy.interleaved_channel,
}
METHODS = [
    name
    for name in dir(Layout)
    if not name.startswith("_") and callable(getattr(Layout, name)) and name != "packed"
]
ARITY = re.compile(r"positional argument|unexpected keyword|required keyword-only argument")
SHAPE = re.compile(r"[\w.]+: .+; got \w[\w.\[\]]*=.+", re.DOTALL)


def refuses(call, *arguments, **named) -> bool:
    """False where the call answered, True where it said what is wrong; nothing else may happen."""
    try:
        call(*arguments, **named)
    except DmlVkError as error:
        shape, said = SHAPE.fullmatch, str(error)
    except TypeError as error:  # Python's own word on how many arguments there are
        shape, said = ARITY.search, str(error)
    else:
        return False
    assert shape(said), (arguments, named, said)
    return True


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    refused = 0
    for layout in (NHWC, Layout(()), Layout((0, 3)), Layout((5,), (-1,), 4)):
        method = getattr(layout, name)
        for count in range(4):
            for arguments in THREE if count == 3 else itertools.product(GARBAGE, repeat=count):
                refused += refuses(method, *arguments)
    assert refused


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    refused = 0
    for count in range(4):
        for arguments in THREE if count == 3 else itertools.product(GARBAGE, repeat=count):
            refused += refuses(FUNCTIONS[name], *arguments)
    assert refused


def descriptor(**given):
    return BufferTensorDesc(DataType.INT8, (3,), **given)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda **given: Layout((2, 3), **given), "strides"),
        (lambda **given: Layout((2, 3), **given), "offset"),
        (lambda **given: Layout((2, 3), **given), "order"),
        (lambda **given: elementwise(NHWC, **given), "rule"),
        (lambda **given: concatenate([NHWC], **given), "dim"),
        (lambda **given: calculate_strides("HW", (2, 3), **given), "broadcast"),
        (descriptor, "strides"),
        (descriptor, "flags"),
        (descriptor, "total_tensor_size_in_bytes"),
        (descriptor, "guaranteed_base_offset_alignment"),
    ],
)
def test_named_arguments(call, argument):
    assert sum(refuses(call, **{argument: value}) for value in GARBAGE) > len(GARBAGE) // 2


def fail(error):
    raise error


@pytest.mark.parametrize("error", [TypeError("bad operand"), LayoutError("op", "it went wrong")])
def test_the_test_sees_errors_that_say_too_little(error):
    with pytest.raises(AssertionError, match=str(error)):
        refuses(fail, error)
    with pytest.raises(KeyError):
        refuses(fail, KeyError())
