"""Splits, turns, diagonals and windows: views of the same memory, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import dml_vk
from dml_vk.errors import DeviceMemoryError, LayoutError, LayoutIndexError
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.forms import forms, mixed
from tests.kernel.tensors import assert_same

SIZES = ((2, 3), (4, 4), (0, 3), (1, 1), (2, 3, 4, 5))
VIEWS = {
    "fliplr": ([],),
    "flipud": ([],),
    "rot90": ([], [2], [-1], [7, (1, 0)], [4, (0, -1)], [3, (-1, 0)]),
    "swapaxes": ([0, 1], [-1, 0], [1, 1]),
    "diagonal": ([], [1], [-1, 1, 0], [9]),
    "split": ([[1, 2], 1], [1], [[-1, 7, 2]], [[], -1]),
    "array_split": ([3], [5, 1], [[1], -1]),
    "hsplit": ([1], [[2]]),
    "vsplit": ([1], [[0, 1]]),
}


def same(found, expected, x):
    """Views of x's memory with the elements that NumPy gives."""
    several = isinstance(expected, list)
    for one, two in zip(found, expected, strict=True) if several else [(found, expected)]:
        assert one.allocation is x.allocation
        assert_same(one, two)
    assert isinstance(found, list) == several


@pytest.mark.parametrize("name", VIEWS)
def test_views(name):
    for sizes in SIZES:
        array = mixed("int16", sizes)
        for x in forms(array):
            for arguments in VIEWS[name]:
                expected = getattr(np, name)(array, *arguments)
                same(getattr(dml_vk, name)(x, *arguments), expected, x)


def test_splits_of_one_dim_and_of_three():
    array = mixed("float32", (6,))
    x = dml_vk.asarray(array)
    for name, arguments in (("split", [3]), ("hsplit", [[2, 3]])):
        same(getattr(dml_vk, name)(x, *arguments), getattr(np, name)(array, *arguments), x)
    array = mixed("float32", (2, 3, 4))
    x = dml_vk.asarray(array)
    same(dml_vk.dsplit(x, 2), np.dsplit(array, 2), x)
    image = dml_vk.full((2, 4, 3, 5), 1.0, memory_format=channels_last)
    assert {part.memory_format for part in dml_vk.split(image, 2, axis=1)} == {channels_last}


def test_flat_elements_are_a_view_where_strides_allow_it():
    for sizes in ((), (5,), *SIZES):
        array = mixed("uint8", sizes)
        for x in forms(array):
            found = dml_vk.ravel(x)
            assert_same(found, array.ravel())
            assert (found.allocation is x.allocation) == (x.layout.view((x.size,)) is not None)
    assert x.ravel().shape == (120,)


def test_diagonals():
    for array in (mixed("float32", (3, 5)), mixed("bool", (4,)), mixed("int64", (0,))):
        for k in (-6, -1, 0, 2):
            for x in forms(array):
                found = dml_vk.diag(x, k)
                assert_same(found, np.diag(array, k))
                assert (found.allocation is x.allocation) == (array.ndim == 2)
                assert_same(dml_vk.diagflat(x, k), np.diagflat(array, k))


@tier.examples(60, deadline=None)
@given(st.data())
def test_windows(data):
    sizes = tuple(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    array = mixed("int32", sizes)
    axes = tuple(data.draw(st.lists(st.integers(0, len(sizes) - 1), max_size=3, unique=True)))
    window = tuple(data.draw(st.integers(1, sizes[axis])) for axis in axes)
    x = data.draw(st.sampled_from(list(forms(array))))
    same(dml_vk.sliding_window_view(x, window, axes), sliding_window_view(array, window, axes), x)


def test_windows_over_all_dims_and_over_one_twice():
    array = mixed("int8", (4, 5))
    x = dml_vk.asarray(array)
    same(dml_vk.sliding_window_view(x, (2, 3)), sliding_window_view(array, (2, 3)), x)
    same(
        dml_vk.sliding_window_view(x, (2, 2), (1, 1)), sliding_window_view(array, (2, 2), (1, 1)), x
    )
    same(dml_vk.sliding_window_view(x[0], 3), sliding_window_view(array[0], 3), x)
    seen = dml_vk.sliding_window_view(x, 3, axis=1)
    assert dml_vk.sum(seen, axis=-1).tolist() == sliding_window_view(array, 3, 1).sum(-1).tolist()
    with pytest.raises(LayoutError, match="overlapping elements"):
        seen[...] = 0


def test_any_strides():
    array = mixed("float32", (4, 6))
    x = dml_vk.asarray(array)
    for shape, strides in (((3, 2), (7, 1)), ((5,), (0,)), (24, 1), ((), ()), ((0, 9), (99, 1))):
        steps = tuple(4 * one for one in (strides if isinstance(strides, tuple) else (strides,)))
        sizes = shape if isinstance(shape, tuple) else (shape,)
        same(dml_vk.as_strided(x, shape, strides), as_strided(array, sizes, steps), x)
    assert_same(dml_vk.as_strided(x), array)
    assert_same(dml_vk.as_strided(x[1:, 1:], (2, 2), (6, -1), 9), array[1:3, 3:1:-1])
    with pytest.raises(LayoutError, match=r"^as_strided: the view must lie within its 96 bytes"):
        dml_vk.as_strided(x, (5, 5), (6, 1))
    with pytest.raises(LayoutError, match=r"as_strided: .* negative"):
        dml_vk.as_strided(x, (2,), (-1,))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: dml_vk.split(x, 4, 1), "split: indices_or_sections must be a number of equal"),
        (lambda x: dml_vk.array_split(x, 0), "array_split: indices_or_sections must be a number"),
        (lambda x: dml_vk.array_split(x, 2**40), "array_split: "),
        (lambda x: dml_vk.dsplit(x, 1), "dsplit: axis must be from -2 to 1; got axis=2"),
        (lambda x: dml_vk.fliplr(x[0]), "fliplr: axis must be from -1 to 0"),
        (lambda x: dml_vk.rot90(x, 1, (0,)), r"rot90: axes must be a pair of axes; got axes=\(0,"),
        (lambda x: dml_vk.rot90(x, 1, (0, 0)), "rot90: axes must not repeat"),
        (lambda x: dml_vk.swapaxes(x, 0, 2), "swapaxes: axis2 must be from -2 to 1"),
        (lambda x: dml_vk.diag(x[0, 0]), r"diag: x must be 1-D or 2-D; got shape=\(\)"),
        (lambda x: dml_vk.sliding_window_view(x, 2), "sliding_window_view: window_shape must have"),
        (lambda x: dml_vk.sliding_window_view(x, 9, 0), "sliding_window_view: size must be from 0"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises((LayoutError, LayoutIndexError), match=f"^{words}"):
        call(dml_vk.zeros((2, 3)))


def test_matrices_that_are_too_large():
    for make in (dml_vk.diag, dml_vk.diagflat):
        with pytest.raises(DeviceMemoryError, match=f"^{make.__name__}: "):
            make(dml_vk.zeros(3), 2**40)
