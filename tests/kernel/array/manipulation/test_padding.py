"""Tensors put together from pieces of one, beside NumPy: rolled, padded, repeated, tiled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError, RangeError
from dml_vk.layout import Layout, channels_last
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.kernel.memory import ITEMSIZES, check_writes
from tests.kernel.tensors import assert_same, tensor_over

GRID = np.arange(1, 121, dtype=np.int32).reshape(2, 3, 4, 5)
X = dml_vk.asarray(GRID)
IMAGES = X.to(channels_last)


def numpys_pad(array, pairs, mode, value):
    if mode == "constant":
        return np.pad(array, pairs, mode, constant_values=value)
    return np.pad(array, pairs, {"circular": "wrap"}.get(mode, mode))


PADS = ["constant", "reflect", "edge", "circular", "symmetric", "wrap"]


@tier.examples(60)
@given(st.data(), layouts(max_rank=4), st.sampled_from(PADS), st.sampled_from(ITEMSIZES))
def test_pads(data, layout, mode, itemsize):
    x, array = tensor_over(layout, itemsize)
    pairs = []
    for size in layout.sizes:
        most = {"constant": 3, "edge": 3 if size else 0, "reflect": size - 1}.get(mode, size)
        width = st.integers(0, max(0, min(3, most)))
        pairs.append((data.draw(width), data.draw(width)))
    expected = numpys_pad(array, pairs or 0, mode, 77) if layout.rank else array
    found = dml_vk.pad(x, pairs or 0, value=77, mode=mode)
    assert_same(found, expected)
    assert found.layout == Layout.packed(expected.shape, layout.order)
    target = data.draw(layouts(sizes=expected.shape).filter(lambda one: not one.overlaps))
    check_writes(
        lambda out: dml_vk.pad(x, pairs or 0, value=77, mode=mode, out=out),
        *(target, itemsize, expected),
    )


def test_widths_of_pads():
    matrix = X.select(0, 0).select(0, 0)
    array = matrix.numpy()
    for widths in (2, [2], (1, 2), ((1, 2),), ((1, 2), (0, 3)), np.array([[1, 2]])):
        assert_same(dml_vk.pad(matrix, widths), np.pad(array, widths))
    assert_same(dml_vk.pad(matrix, [[1], [2]]), np.pad(array, ((1, 1), (2, 2))))
    line = matrix.select(0, 0)
    assert dml_vk.pad(line, ((1, 2),), value=-1).tolist() == [-1, 1, 2, 3, 4, 5, -1, -1]
    assert dml_vk.pad(IMAGES, 1, mode="reflect").memory_format is channels_last
    x = dml_vk.asarray(np.arange(1, 10))
    dml_vk.pad(x[2:6], (3, 2), mode="circular", out=x)
    assert x.tolist() == [4, 5, 6, 3, 4, 5, 6, 3, 4]


@tier.examples(60)
@given(st.data(), layouts(max_rank=4), st.sampled_from(ITEMSIZES))
def test_rolls(data, layout, itemsize):
    x, array = tensor_over(layout, itemsize)
    shift = st.integers(-9, 9)
    if layout.rank and data.draw(st.booleans()):
        axis = tuple(data.draw(st.lists(st.integers(-layout.rank, layout.rank - 1), max_size=3)))
        by = tuple(data.draw(shift) for _ in axis) if data.draw(st.booleans()) else data.draw(shift)
    else:
        axis, by = None, data.draw(shift)
    expected = np.roll(array, by, axis) if axis != () else array
    found = dml_vk.roll(x, by, axis=axis)
    assert_same(found, expected)
    assert found.layout == layout.like()
    target = data.draw(layouts(sizes=layout.sizes).filter(lambda one: not one.overlaps))
    check_writes(lambda out: dml_vk.roll(x, by, axis=axis, out=out), target, itemsize, expected)


def test_rolls_far_and_in_place():
    for by in (10**30 + 1, -(10**30)):
        assert_same(dml_vk.roll(IMAGES, by), np.roll(GRID, by % GRID.size))
        assert_same(dml_vk.roll(IMAGES, by, axis=-1), np.roll(GRID, by % 5, -1))
    for axis in (None, 2, (0, 3)):
        x = dml_vk.asarray(GRID)
        assert dml_vk.roll(x, 3, axis=axis, out=x) is x
        assert_same(x, np.roll(GRID, 3, axis))


@tier.examples(60)
@given(st.data(), layouts(max_rank=4, max_size=4), st.sampled_from(ITEMSIZES))
def test_tiles_and_repeats(data, layout, itemsize):
    x, array = tensor_over(layout, itemsize)
    count = st.integers(0, 3)
    repetitions = tuple(data.draw(st.lists(count, max_size=layout.rank + 2)))
    axis = data.draw(st.integers(-layout.rank, layout.rank - 1)) if layout.rank else None
    axis = data.draw(st.sampled_from([None, axis]))
    repeats = data.draw(count)
    calls = {
        "tile": (lambda **out: dml_vk.tile(x, repetitions, **out), np.tile(array, repetitions)),
        "repeat": (
            lambda **out: dml_vk.repeat(x, repeats, axis=axis, **out),
            np.repeat(array, repeats, axis),
        ),
    }
    for name, (call, expected) in calls.items():
        found = call()
        assert_same(found, expected)
        lead = max(0, len(repetitions) - layout.rank) if name == "tile" else 0
        order = (*range(lead), *[dim + lead for dim in layout.order])
        flat = name == "repeat" and axis is None
        assert found.layout == Layout.packed(expected.shape, None if flat else order)
        target = data.draw(layouts(sizes=expected.shape).filter(lambda one: not one.overlaps))
        check_writes(lambda out, call=call: call(out=out), target, itemsize, expected)


def test_repeats_of_each_index():
    column = X.select(0, 0).narrow(1, 0, 1).narrow(2, 0, 1)
    for counts in ([2, 0, 3], [0, 0, 0], [4], np.array([1, 2, 3], np.uint8)):
        for axis, x in ((1, IMAGES), (-3, X.select(0, 0)), (None, column)):
            expected = np.repeat(x.numpy(), counts, axis)
            order = (0,) if axis is None else x.layout.order
            for repeats in (counts, dml_vk.asarray(np.array(counts))):
                found = dml_vk.repeat(x, repeats, axis=axis)
                assert_same(found, expected)
                assert found.layout == Layout.packed(expected.shape, order)
    x = dml_vk.asarray(np.arange(1, 6))
    assert dml_vk.repeat(x[:3], [1, 3, 1], out=x).tolist() == [1, 2, 2, 2, 3]
    assert dml_vk.repeat(x, dml_vk.asarray(2)).shape == (10,)
    nothing = dml_vk.zeros((0, 3))
    assert dml_vk.repeat(nothing, [], axis=0).shape == (0, 3)
    assert dml_vk.repeat(nothing, dml_vk.zeros(0, int), axis=0).shape == (0, 3)


LINE, EMPTY = dml_vk.zeros(3), dml_vk.zeros((0, 3))
ERRORS = [
    (lambda: dml_vk.roll(X, 1.5), LayoutError, "roll: shift must be an integer"),
    (lambda: dml_vk.roll(X, (1, 2)), LayoutError, "roll: shift must be an integer"),
    (lambda: dml_vk.roll(X, (1, 2, 3), axis=(0, 1)), LayoutError, "roll: shift must be an integ"),
    (lambda: dml_vk.roll(X, "x", axis=0), LayoutError, "roll: shift must be a sequence of integer"),
    (lambda: dml_vk.roll(X, 1, axis={0}), LayoutError, "roll: axis must be a sequence"),
    (lambda: dml_vk.roll(X, 1, axis=4), LayoutIndexError, "roll: axis must be from -4 to 3"),
    (lambda: dml_vk.roll(X, 1, out=LINE), LayoutError, "roll: out must have the shape"),
    (lambda: dml_vk.pad(X, -1), LayoutError, "pad: widths must be a non-neg"),
    (lambda: dml_vk.pad(X, (1, 2, 3)), LayoutError, "pad: widths must be a non-neg"),
    (lambda: dml_vk.pad(X, ((1, 2), 3)), LayoutError, "pad: widths must be a non-neg"),
    (lambda: dml_vk.pad(X, ((1, 2),) * 3), LayoutError, "pad: widths must be a non-neg"),
    (lambda: dml_vk.pad(X, ((1, 2, 3),)), LayoutError, "pad: widths must be a non-neg"),
    (lambda: dml_vk.pad(X, {1}), LayoutError, "pad: widths must be a non-neg"),
    (lambda: dml_vk.pad(X, 1.5), LayoutError, "pad: widths must be a non-neg"),
    (lambda: dml_vk.pad(X, 1, mode="mirror"), RangeError, "pad: mode must be one of constant, re"),
    (lambda: dml_vk.pad(X, 1, mode=None), RangeError, "pad: mode must be one of constant, refle"),
    (lambda: dml_vk.pad(X, 1, value=1.5), DTypeError, "pad: value must be an integer that int32"),
    (
        lambda: dml_vk.pad(X, 2, mode="reflect"),
        LayoutError,
        "pad: in this mode, size 2 can be padded by at most 1; got widths",
    ),
    (
        lambda: dml_vk.pad(EMPTY, 1, mode="edge"),
        LayoutError,
        "pad: in this mode, size 0 can be padded by at most 0",
    ),
    (lambda: dml_vk.tile(X, -1), LayoutError, "tile: sizes must not be negative"),
    (lambda: dml_vk.tile(X, "x"), LayoutError, "tile: sizes must be a sequence of integers"),
    (lambda: dml_vk.repeat(X, -1), RangeError, "repeat: repeats must not be negative"),
    (lambda: dml_vk.repeat(X, 1.5), LayoutError, "repeat: repeats must be an integer"),
    (lambda: dml_vk.repeat(X, 2, axis=9), LayoutIndexError, "repeat: axis must be from -4 to 3"),
    (lambda: dml_vk.repeat(LINE, [1, 2]), LayoutError, "repeat: repeats must be an integer, or"),
    (lambda: dml_vk.repeat(LINE, [1, -1, 1]), RangeError, "repeat: repeats must not be negative; "),
    (lambda: dml_vk.repeat(LINE, [[1, 2, 3]]), LayoutError, "repeat: repeats must be a sequence o"),
    (lambda: dml_vk.repeat(LINE, [2**70] * 3), DTypeError, "repeat: integers must fit in one"),
    (lambda: dml_vk.repeat(LINE, LINE), DTypeError, "repeat: dtype must be one of int8, uint8"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "must"), ERRORS, ids=[one[2] for one in ERRORS])
def test_errors(call, kind, must):
    with pytest.raises(kind, match=f"^{must}"):
        call()


@pytest.mark.parametrize("value", [7.5, 7.0])
def test_a_float_tensor_does_not_pad_integers(value):
    x = dml_vk.asarray([1, 2])
    for constant in (value, dml_vk.asarray(value)):
        with pytest.raises(dml_vk.DTypeError, match="pad: cannot store a number of this kind"):
            dml_vk.pad(x, 1, constant_values=constant)
    assert dml_vk.pad(x, 1, constant_values=dml_vk.asarray(7)).tolist() == [7, 1, 2, 7]
