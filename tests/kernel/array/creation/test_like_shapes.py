"""`shape=` of `empty_like` and its kin, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout, channels_last, contiguous_format
from tests.kernel.forms import forms, mixed

CALLS = {
    "empty_like": (),
    "zeros_like": (),
    "ones_like": (),
    "full_like": (3,),
}


@pytest.mark.parametrize("name", CALLS)
def test_shapes(name):
    for sizes in ((2, 3, 4, 5), (3,), (), (0, 2)):
        array = mixed("int16", sizes)
        for shape in ((2, 3), (1, 7, 3, 2), 5, (), (0, 4), (np.int64(2), 3), None):
            expected = getattr(np, name)(array, *CALLS[name], shape=shape)
            for x in forms(array):
                found = getattr(dml_vk, name)(x, *CALLS[name], shape=shape)
                assert (found.shape, found.dtype) == (expected.shape, x.dtype)
                if name != "empty_like":
                    assert np.array_equal(found.numpy(), expected)
                if found.ndim == x.ndim:
                    assert found.layout.order == x.layout.order
                else:
                    assert found.layout == Layout(expected.shape)


@pytest.mark.parametrize("name", CALLS)
def test_formats(name):
    def like(x, **options):
        return getattr(dml_vk, name)(x, *CALLS[name], **options)

    image = dml_vk.full((2, 3, 4, 5), 1.5).to(channels_last)
    assert like(image, shape=(1, 2, 3, 4)).memory_format is channels_last
    assert like(image, shape=(2, 3, 4)).memory_format is contiguous_format
    assert like(image, shape=(2, 3, 4), memory_format=channels_last).memory_format is channels_last
    whole = like(image, shape=(1, 2, 3, 4), memory_format=contiguous_format, dtype="int8")
    assert (whole.memory_format, whole.dtype) == (contiguous_format, dml_vk.int8)
    assert like(image, shape=(1000, 1001)).size == 1_001_000
    with pytest.raises(LayoutError, match=rf"^{name}: sizes must not be negative; got shape="):
        like(image, shape=(2, -1))
    with pytest.raises(LayoutError, match=rf"^{name}: rank must be 3 .* for channels_last"):
        like(image, shape=(2, 3), memory_format=channels_last)
