"""The bytes of a tensor as elements of another dtype: what NumPy's `view` gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import DTypeError, LayoutError
from dml_vk.layout import channels_last
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.kernel.memory import KINDS
from tests.kernel.tensors import assert_same, tensor_over

A = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)
WORDS = np.random.default_rng(11).integers(0, 2**32, (4, 6, 8), np.uint32)
SEEN = {
    "whole": lambda x: x,
    "a row": lambda x: x[1, 2],
    "rows backwards": lambda x: x[::-1, ::-2],
    "rows of rows": lambda x: np.swapaxes(x, 0, 1),
    "columns": lambda x: x[..., 4:8],
    "nothing": lambda x: x[:, :0],
    "no row": lambda x: x[..., :0],
    "repeated": lambda x: np.broadcast_to(x[:1], (3, *x.shape[1:])),
}


@pytest.mark.parametrize("name", SEEN)
@pytest.mark.parametrize(
    "dtype", ["float32", "int32", "int8", "uint8", "float16", "uint64", "float64"]
)
def test_the_same_bytes_in_another_dtype(name, dtype):
    for array in (WORDS, WORDS.view(np.int16), WORDS.view(np.int64)):
        x, expected = dml_vk.asarray(array), SEEN[name](array)
        view = SEEN[name](x)
        found = view.view(getattr(dml_vk, dtype))
        assert_same(found, expected.view(dtype))
        assert found.allocation is view.allocation
        for spelt in (dtype, np.dtype(dtype), np.dtype(dtype).type):
            assert view.view(spelt).layout == found.layout
        assert_same(view.view(dtype=dtype), expected.view(dtype))
        assert_same(found.view(x.dtype), expected)


@tier.examples(100)
@given(layouts(), st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4, 8]))
def test_bytes_of_any_layout(layout, before, after):
    x, array = tensor_over(layout, before)
    steps = [step for step, size in zip(array.strides, array.shape) if size > 1]
    places = [*steps[: len(steps) - (array.shape[-1:] > (1,))], before * x.offset]
    try:
        expected = array.view(KINDS[after])
    except ValueError:
        expected = None
    # NumPy sees elements at any byte, and kernels at whole elements.
    if expected is None or (array.size and any(place % after for place in places)):
        with pytest.raises(
            LayoutError, match="view: the last dim must be contiguous and hold whole elements of"
        ):
            x.view(KINDS[after])
    else:
        assert_same(x.view(KINDS[after]), expected)


def test_bytes_are_seen_as_they_are_now_and_written_through():
    x = dml_vk.ones((2, 3))
    bits = x.view(dml_vk.uint32)
    x *= 2
    assert bits.tolist() == [[0x40000000] * 3] * 2
    bits |= dml_vk.asarray([0, 2**31, 0], dtype="uint32")
    assert x.tolist() == [[2, -2, 2]] * 2
    flags = dml_vk.asarray([0, 1, 1], dtype="uint8").view(bool)
    assert (flags.dtype, flags.tolist()) == (dml_vk.bool_, [False, True, True])
    assert dml_vk.asarray(1.0).view("int32").item() == 0x3F800000


def test_formats_stay_where_bytes_are_seen_in_another_dtype():
    image = dml_vk.asarray(A, memory_format=channels_last)
    assert image.view("int32").memory_format is channels_last
    grey = dml_vk.asarray(A[:, :1], memory_format=channels_last)
    seen = grey.view("uint8")
    assert (seen.shape, seen.memory_format) == ((2, 1, 4, 20), channels_last)
    column = dml_vk.asarray(A[..., :1], memory_format=channels_last)
    assert column.view("uint8").layout.order == (0, 2, 1, 3), "the last dim is innermost now"
    assert_same(column.view("uint8"), column.numpy().view(np.uint8))


def test_bytes_that_make_no_elements():
    x = dml_vk.asarray(A)
    for view, dtype in (
        (x, "float64"),  # 5 in a row
        (x[..., :2].T if x.ndim == 2 else x.transpose(0, 3), "uint8"),
        (x[..., ::2], "int16"),
        (x[..., ::-1], "int8"),
        (x[..., 1:3], "float64"),  # whole rows, but not at whole places
        (dml_vk.asarray(WORDS)[..., 1:3], "uint64"),
        (x[0, 0, 0, 0], "float64"),
        (x[0, 0, 0, 0], "int8"),
        (x[..., :1].expand(2, 3, 4, 2), "uint16"),
    ):
        must = "view: the last dim must be contiguous and hold whole elements of"
        with pytest.raises(LayoutError, match=must):
            view.view(dtype)
    with pytest.raises(DTypeError, match="view: dtype must be one of"):
        x.view("no such")
    with pytest.raises(LayoutError, match=r"view: sizes and dtype must not both be given"):
        x.view(6, 20, dtype="int32")
