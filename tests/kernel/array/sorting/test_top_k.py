"""`top_k` beside a stable sort of NumPy's ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError, RangeError
from dml_vk.layout import Layout, channels_last
from dml_vk.ops import sort as sort_module
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.kernel.memory import bits, elements, memory_for
from tests.kernel.ops.test_sort import order, special
from tests.real_dtypes import DTYPES


def check(array, x, k, axis, largest):
    places = order(array, axis, largest).take(range(k), axis)
    values, indices = dml_vk.top_k(x, k, axis=axis, largest=largest)
    assert (values.dtype, indices.dtype) == (x.dtype, dml_vk.int64)
    assert values.layout.order == indices.layout.order == x.layout.order
    assert np.array_equal(indices.numpy(), places)
    assert np.array_equal(bits(values.numpy()), bits(np.take_along_axis(array, places, axis)))


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=lambda dtype: dtype.name)
def test_every_dtype(dtype):
    array = special(dtype, (3, 41))
    for largest in (False, True):
        check(array, dml_vk.asarray(array), 7, 1, largest)


def test_every_count_and_both_formats():
    array = special(dml_vk.float32, (2, 3, 5, 7))
    for form in (None, channels_last):
        x = dml_vk.asarray(array, memory_format=form)
        for axis in range(-2, 2):
            for k in tier.some(range(array.shape[axis] + 1), 4):
                check(array, x, k, axis, largest=k % 2 == 0)
    assert dml_vk.top_k(x, 1, axis=1)[0].memory_format is channels_last


@tier.examples(15)
@given(st.data(), st.sampled_from([1, 4, 8]))
def test_any_layout(data, itemsize):
    sizes = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    axis = data.draw(st.integers(0, len(sizes) - 1))
    memory, layout = memory_for(data.draw(layouts(sizes=sizes)), itemsize)
    k = data.draw(st.integers(0, sizes[axis]))
    x = dml_vk.asarray(memory).over(layout)
    check(elements(memory, layout), x, k, axis, data.draw(st.booleans()))


def test_rows_that_are_many_are_sorted_in_parts(monkeypatch):
    monkeypatch.setattr(sort_module, "MOST_ELEMENTS", 100)
    array = special(dml_vk.int64, (5, 23, 7))
    check(array, dml_vk.asarray(array), 4, 1, True)


def test_nothing_to_choose_from():
    for sizes, axis, k in (((0,), 0, 0), ((3, 0), 0, 2), ((0, 4), 1, 3)):
        values, indices = dml_vk.top_k(dml_vk.zeros(sizes), k, axis=axis)
        assert values.shape == indices.shape == (*sizes[:axis], k, *sizes[axis + 1 :])


@pytest.mark.parametrize(
    ("arguments", "named", "error", "message"),
    [
        (([1, 2], 1), {}, DTypeError, "x must be a Tensor.*; got x='list'"),
        ((dml_vk.zeros((2, 3)), 4), {}, RangeError, "k must be from 0 to 3, .* axis 1; got k=4"),
        ((dml_vk.zeros((2, 3)), -1), {"axis": 0}, RangeError, "k must be from 0 to 2, .* axis 0"),
        ((dml_vk.zeros(3), 1.5), {}, LayoutError, "k must be an integer; got k=1.5"),
        ((dml_vk.zeros(3), 1), {"axis": 1}, LayoutIndexError, "axis must be from -1 to 0"),
        ((dml_vk.zeros(3), 1), {"largest": 1}, DTypeError, "largest must be a bool"),
        ((dml_vk.zeros(3).over(Layout(())), 1), {}, LayoutIndexError, "axis is out of range"),
    ],
)
def test_what_is_refused(arguments, named, error, message):
    with pytest.raises(error, match=f"^top_k: {message}"):
        dml_vk.top_k(*arguments, **named)
