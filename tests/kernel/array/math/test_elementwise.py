"""The public functions: what they make new, what they take, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DeviceError, DTypeError, LayoutError
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.view import View
from dml_vk.runtime.device import Device
from dml_vk.tensor.core import Tensor
from tests.kernel.elementwise import check, source_of


def floats(*sizes):
    values = np.arange(np.prod(sizes, dtype=int), dtype=np.float32).reshape(sizes)
    return dml_vk.asarray(values), values


def test_the_result_keeps_the_memory_format_of_its_operands():
    x, values = floats(2, 3, 4, 5)
    nhwc = x.to(channels_last)
    for result in (dml_vk.negative(nhwc), dml_vk.add(nhwc, 1), dml_vk.add(nhwc, nhwc)):
        assert result.memory_format is channels_last
        assert result.layout.is_packed
    assert np.array_equal(dml_vk.add(nhwc, x).numpy(), values + values)


def test_operands_are_broadcast_and_promoted():
    x, y = dml_vk.asarray(np.int8([[1], [2]])), dml_vk.asarray(np.uint8([3, 200]))
    found = dml_vk.subtract(x, y)
    assert found.dtype is dml_vk.int16
    assert found.tolist() == [[-2, -199], [-1, -198]]
    assert dml_vk.less(x, y).dtype is dml_vk.bool_


def test_numbers_take_the_tensors_dtype():
    x = dml_vk.asarray(np.float16([1, 2]))
    assert dml_vk.multiply(x, 3).dtype is dml_vk.float16
    assert dml_vk.subtract(np.float64(3.5), x).tolist() == [2.5, 1.5]
    assert dml_vk.equal(dml_vk.asarray([True, False]), True).tolist() == [True, False]
    assert dml_vk.add(dml_vk.asarray(np.uint8([1])), True).tolist() == [2]


def test_out_is_filled_and_given_back():
    x, values = floats(3, 4)
    out = dml_vk.empty((4, 3), dml_vk.float32)
    turned = out.over(out.layout.permute(1, 0))
    assert dml_vk.add(x, 1.0, out=turned) is turned
    assert np.array_equal(out.numpy(), (values + 1).T)


class Sly(float):
    """No float when it comes to it."""

    def __float__(self):
        return "x"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: dml_vk.add(1, 2), DTypeError, "add: at least one operand must be a Tensor"),
        (
            lambda x: dml_vk.add(x, "2"),
            DTypeError,
            "add: operands must be tensors or numbers: convert arrays with asarray",
        ),
        (lambda x: dml_vk.add([1.5], np.ones(3)), DTypeError, "convert arrays with asarray"),
        (lambda x: dml_vk.bitwise_and(x, x), DTypeError, "bitwise_and: dtype must be one of bool_"),
        (lambda x: dml_vk.exp(x, out=3), DTypeError, "exp: out must be a Tensor"),
        (
            lambda x: dml_vk.exp(x, out=dml_vk.empty((2,), dml_vk.float32)),
            LayoutError,
            r"exp: out must have the shape \(3,\)",
        ),
        (
            lambda x: dml_vk.exp(x, out=dml_vk.empty((3,), dml_vk.float16)),
            DTypeError,
            "exp: out must have the dtype float32",
        ),
        (
            lambda x: dml_vk.exp(x, out=x.over(Layout((3,), (0,)))),
            LayoutError,
            "exp: out has overlapping elements",
        ),
        (
            lambda x: dml_vk.add(x, dml_vk.asarray([1.0, 2.0])),
            LayoutError,
            "sizes must agree or be 1",
        ),
        (
            lambda x: dml_vk.elu(x, 1, 2),
            DTypeError,
            "elu: parameters must be among alpha, each at most once",
        ),
        (lambda x: dml_vk.elu(x, 1, alpha=2), DTypeError, "elu: parameters must be among alpha"),
        (lambda x: dml_vk.elu(x, beta=2), DTypeError, "elu: parameters must be among alpha"),
        (lambda x: dml_vk.elu(x, "2"), DTypeError, "elu: alpha must be a real number"),
        (lambda x: dml_vk.elu(x, 10**400), DTypeError, "elu: alpha must be a number that float32"),
        (lambda x: dml_vk.less(x, Sly(1.5)), DTypeError, "less: number must be a number that fl"),
        (lambda x: dml_vk.where(True, x, x), DTypeError, "where: condition must be a Tensor"),
        (lambda x: dml_vk.clip(1, x, x), DTypeError, "clip: x must be a Tensor"),
        (
            lambda x: dml_vk.astype(3, "int8"),
            DTypeError,
            "astype: at least one operand must be a Tensor",
        ),
    ],
)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(dml_vk.asarray([1.0, 2.0, 3.0]))


def test_operands_are_on_one_device():
    x = dml_vk.asarray([1.0, 2.0])
    device = object.__new__(type(x.device))
    device.__dict__.update(x.device.__dict__)
    elsewhere = Tensor(View(device, x.allocation, x.layout, x.dtype))
    with pytest.raises(DeviceError, match="add: operands must be on one device"):
        dml_vk.add(x, elsewhere)
    with pytest.raises(DeviceError, match=r"exp: operands must be on one device.*; got out="):
        dml_vk.exp(x, out=elsewhere)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float16", "float64"])
def test_clip_by_numbers_none_and_tensors(dtype):
    values = np.array([0, 1, 5, 50, 100], dtype)
    x, low, high = map(dml_vk.asarray, (values, values[1:2], values[3:4]))
    assert dml_vk.clip(x, 1, 50).tolist() == [1, 1, 5, 50, 50]
    assert dml_vk.clip(x, 1).tolist() == [1, 1, 5, 50, 100]
    assert dml_vk.clip(x, max=50).tolist() == [0, 1, 5, 50, 50]
    assert dml_vk.clip(x).tolist() == values.tolist()
    assert dml_vk.clip(x, low, high).tolist() == [1, 1, 5, 50, 50]
    assert dml_vk.clip(x, low).tolist() == [1, 1, 5, 50, 100]
    assert dml_vk.clip(x, max=high).tolist() == [0, 1, 5, 50, 50]
    assert dml_vk.clip(x, 60, 50).tolist() == [50] * 5
    # Beyond all numbers of the dtype is no bound.
    assert dml_vk.clip(x, -(2**70), 2**70).tolist() == values.tolist()
    assert dml_vk.clip(x, low, high, out=x) is x
    assert x.tolist() == [1, 1, 5, 50, 50]


def test_where_of_numbers_alone_has_the_dtype_of_numbers():
    condition = dml_vk.asarray([1.0, 0.0])
    for numbers, dtype in (
        ((True, False), dml_vk.bool_),
        ((2**40, -3), dml_vk.int64),
        ((True, 2), dml_vk.int64),
        ((1.5, 2), dml_vk.float32),
    ):
        found = dml_vk.where(condition, *numbers)
        assert found.dtype is dtype
        assert found.tolist() == list(numbers)


@pytest.mark.parametrize("room", [True, False])
def test_dims_beyond_a_launchs_own(room, monkeypatch):
    """They are told by arguments in memory, or by more launches where that has no room."""
    if not room:
        launch = Device.launch

        def without_arguments(self, plan, accesses, params=(), otherwise=None, what="launch"):
            launch(self, otherwise or plan, accesses, params)

        monkeypatch.setattr(Device, "launch", without_arguments)
    sizes = (2,) * 8
    gaps = Layout(sizes, tuple(3**k for k in range(8)))
    order = Layout.packed(sizes, (3, 1, 0, 2, 7, 4, 6, 5))
    for dtype in (dml_vk.int8, dml_vk.int32):
        sources = [source_of(dtype, one, seed=seed) for seed, one in enumerate((order, gaps))]
        check("subtract", sources, gaps, dtype)
        condition = source_of(dml_vk.bool_, Layout(sizes))
        check("where", [condition, *sources], gaps, dtype)
    check("cast", [source_of(dml_vk.int8, order)], gaps, dml_vk.float32)


def test_dims_beyond_a_launchs_own_where_an_arena_is_full():
    """A tensor of many MiB has an arena to itself, and no room in it for arguments."""
    values = np.random.default_rng(1).integers(-(2**40), 2**40, (6,) * 8)
    order = (3, 1, 0, 2, 7, 4, 6, 5)
    there = np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order))
    x, y, out = dml_vk.asarray(values), dml_vk.asarray(there), dml_vk.empty(values.shape, "int64")
    assert out.allocation.arena.free.largest == 0
    dml_vk.subtract(y, 7, out=out)
    dml_vk.add(x, out, out=out)
    assert np.array_equal(out.numpy(), values + values - 7)
