"""Unpooling against NumPy: values at their places, zeros elsewhere."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.layout import Layout, channels_last
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import check_writes
from tests.kernel.tensors import tensor_over


def unpooled(array, index, sizes):
    """Later elements overwrite earlier ones."""
    n, c = array.shape[:2]
    found = np.zeros((n, c, int(np.prod(sizes))), array.dtype)
    for at in np.ndindex(array.shape):
        found[at[0], at[1], index[at]] = array[at]
    return found.reshape(n, c, *sizes)


@tier.examples(15)
@given(st.data())
def test_any_layouts(data):
    rank = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.integers(0, 3)) for _ in range(2 + rank))
    sizes = tuple(data.draw(st.integers(1, 4)) for _ in range(rank))
    itemsize = data.draw(st.sampled_from([2, 4, 8]))
    x, array = tensor_over(data.draw(layouts(sizes=shape)), itemsize)
    index = chance().integers(0, int(np.prod(sizes)), shape)
    order = data.draw(st.permutations(range(2 + rank)))
    places = dml_vk.asarray(index).to(memory_format=order)
    expected = unpooled(array, index, sizes)
    out = data.draw(targets(sizes=(*shape[:2], *sizes)))
    check_writes(lambda y: nn.max_unpool(x, places, sizes, out=y), out, itemsize, expected)


@tier.parametrize(
    "shape order",
    [(2, 3, 8, 6), (1, 4, 4, 4), (3, 1, 2, 2)],
    [dml_vk.contiguous_format, channels_last],
)
def test_maxima_return_to_where_they_were(shape, order):
    array = chance().permutation(np.prod(shape)).reshape(shape).astype(np.float32) + 1
    x = dml_vk.asarray(array, memory_format=order)
    found = nn.max_unpool(*nn.max_pool(x, 2, return_indices=True), shape[2:])
    assert found.layout == Layout.packed(shape, x.layout.order)
    halves = array.reshape(*shape[:2], shape[2] // 2, 2, shape[3] // 2, 2)
    largest = halves == halves.max((3, 5), keepdims=True)
    assert np.array_equal(found.numpy(), np.where(largest, halves, 0).reshape(shape))


def test_the_source_may_be_the_result():
    x = dml_vk.asarray(np.float32([[[1.0, 2.0]]]))
    nn.max_unpool(x, dml_vk.asarray([[[1, 0]]]), 2, out=x)
    assert x.tolist() == [[[2.0, 1.0]]]
