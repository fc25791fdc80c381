"""`pixel_shuffle` and `pixel_unshuffle` beside NumPy's reshape and transpose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.layout import Layout, channels_last
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.memory import check_writes
from tests.kernel.tensors import assert_same, tensor_over

X = dml_vk.asarray(np.arange(96).reshape(1, 8, 3, 4))


def shuffled(array, step, order):
    images, channels, height, width = array.shape
    parts = (channels // step**2, step, step) if order == "CRD" else (step, step, -1)
    if order == "DCR":
        parts = (step, step, channels // step**2)
    cut = array.reshape(images, *parts, height, width)
    turned = (0, 1, 4, 2, 5, 3) if order == "CRD" else (0, 3, 4, 1, 5, 2)
    sizes = images, channels // step**2, height * step, width * step
    return cut.transpose(turned).reshape(sizes)


@tier.examples(30)
@given(st.data(), st.sampled_from(["CRD", "DCR"]), st.sampled_from([1, 2, 4, 8]))
def test_any_layout_to_any_layout_and_back(data, order, itemsize):
    step = data.draw(st.integers(1, 3))
    size = st.integers(0, 3)
    sizes = data.draw(st.tuples(size, size.map(lambda n: n * step**2), size, size))
    x, array = tensor_over(data.draw(layouts(sizes=sizes)), itemsize)
    expected = shuffled(array, step, order)
    found = nn.pixel_shuffle(x, step, order=order)
    assert_same(found, expected)
    assert found.layout == Layout.packed(expected.shape, x.layout.order)
    assert_same(nn.pixel_unshuffle(found, step, order=order), array)
    check_writes(
        lambda out: nn.pixel_shuffle(x, step, order=order, out=out),
        *(data.draw(targets(sizes=expected.shape)), itemsize, expected),
    )


@pytest.mark.parametrize("sizes", [(1, 4, 1, 1), (1, 4, 3, 5), (2, 4, 1, 1), (1, 8, 1, 1)])
def test_formats_that_sizes_do_not_tell(sizes):
    for form in (dml_vk.contiguous_format, channels_last):
        x = dml_vk.zeros(sizes, memory_format=form)
        up = nn.pixel_shuffle(x, 2)
        assert up.memory_format is nn.pixel_unshuffle(up, 2).memory_format is form


def test_dims_in_front_and_results_in_place():
    x = X[0]
    assert_same(nn.pixel_shuffle(x, 2), shuffled(X.numpy(), 2, "CRD")[0])
    assert nn.pixel_shuffle(X[None], 2).shape == (1, 1, 2, 6, 8)
    other = X.clone()
    nn.pixel_shuffle(other, 2, out=other.reshape((1, 2, 6, 8)))
    assert_same(other.reshape((1, 2, 6, 8)), shuffled(X.numpy(), 2, "CRD"))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.pixel_shuffle(3, 2), DTypeError, "pixel_shuffle: x must be a Tensor"),
        (lambda: nn.pixel_shuffle(X, 0), RangeError, "factor must be at least 1; got factor=0"),
        (lambda: nn.pixel_shuffle(X, "2"), LayoutError, "factor must be an integer"),
        (lambda: nn.pixel_shuffle(X, 3), LayoutError, "channels must be a multiple .* channels=8"),
        (lambda: nn.pixel_shuffle(X, 2, order="RGB"), RangeError, "order must be one of CRD, DCR"),
        (lambda: nn.pixel_shuffle(X[0, 0], 1), LayoutError, "x must have at least three dims"),
        (lambda: nn.pixel_unshuffle(X, 2), LayoutError, "height and width must be .* height=3"),
        (lambda: nn.pixel_shuffle(X, 2, out=X), LayoutError, "out must have the shape"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
