"""Other shapes and joins, beside NumPy: values, formats, and what is a view."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError
from dml_vk.layout import Layout, channels_last, concatenate, contiguous_format
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.kernel.memory import ITEMSIZES, check_writes
from tests.kernel.tensors import assert_same, tensor_over

GRID = np.arange(1, 121, dtype=np.int32).reshape(2, 3, 4, 5)
X = dml_vk.asarray(GRID)
IMAGES = X.to(channels_last)


def assert_view(found, x, expected) -> None:
    assert found.allocation is x.allocation
    assert_same(found, expected)


# Each takes a tensor, the array and a way to draw, and gives a view of either.


def broadcast_to(x, array, draw):
    lead = draw(st.lists(st.integers(0, 3), max_size=2).map(tuple))
    shape = lead + tuple(draw(st.integers(0, 3)) if n == 1 else n for n in x.shape)
    return dml_vk.broadcast_to(x, shape), np.broadcast_to(array, shape)


def broadcast_arrays(x, array, draw):
    other = dml_vk.zeros((2, *[1] * x.ndim))
    views = dml_vk.broadcast_arrays(other, x)
    assert views[0].shape == views[1].shape
    return views[1], np.broadcast_to(array, (2, *x.shape))


def expand_dims(x, array, draw):
    axes = st.integers(-x.ndim - 1, x.ndim)
    axis = draw(axes | st.just((0, -1)))
    return dml_vk.expand_dims(x, axis=axis), np.expand_dims(array, axis)


def some_axes(x, draw):
    axes = draw(st.permutations(range(-x.ndim, 0)))
    return tuple(axes[: draw(st.integers(0, x.ndim))])


def flip(x, array, draw):
    axis = draw(st.none()) if draw(st.booleans()) else some_axes(x, draw)
    return dml_vk.flip(x, axis=axis), np.flip(array, axis)


def moveaxis(x, array, draw):
    source = some_axes(x, draw)
    destination = tuple(draw(st.permutations(range(x.ndim))))[: len(source)]
    return dml_vk.moveaxis(x, source, destination), np.moveaxis(array, source, destination)


def permute_dims(x, array, draw):
    axes = draw(st.permutations(range(x.ndim)))
    return dml_vk.permute_dims(x, axes), np.transpose(array, axes)


def squeeze(x, array, draw):
    axes = tuple(dim for dim, size in enumerate(x.shape) if size == 1 and draw(st.booleans()))
    return dml_vk.squeeze(x, axes), np.squeeze(array, axes)


def unstack(x, array, draw):
    assume(x.ndim and x.shape[0])
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    assume(x.shape[axis])
    at = draw(st.integers(0, x.shape[axis] - 1))
    found = dml_vk.unstack(x, axis=axis)
    assert len(found) == x.shape[axis]
    return found[at], np.moveaxis(array, axis, 0)[at]


VIEWS = [
    *(broadcast_to, broadcast_arrays, expand_dims, flip, moveaxis, permute_dims, squeeze, unstack),
]


@tier.examples(200)
@given(st.data(), st.sampled_from(VIEWS), layouts(max_rank=5), st.sampled_from(ITEMSIZES))
def test_views(data, view, layout, itemsize):
    x, array = tensor_over(layout, itemsize)
    found, expected = view(x, array, data.draw)
    assert_view(found, x, expected)


def test_views_keep_formats():
    assert dml_vk.expand_dims(IMAGES.select(0, 1)).memory_format is channels_last
    assert dml_vk.flip(IMAGES).memory_format is channels_last
    assert dml_vk.unstack(IMAGES)[1].layout.order == (1, 2, 0)
    assert dml_vk.permute_dims(X, (0, 3, 1, 2)).memory_format is channels_last
    assert dml_vk.broadcast_to(IMAGES, (2, 3, 4, 5)).layout == IMAGES.layout
    assert dml_vk.flip(dml_vk.asarray(3)).shape == ()
    assert dml_vk.squeeze(dml_vk.zeros((3, 1)), 1).shape == (3,)
    assert dml_vk.moveaxis(X, 0, -1).shape == (3, 4, 5, 2)
    assert dml_vk.expand_dims(X, axis=(1, -1)).shape == (2, 1, 3, 4, 5, 1)
    assert dml_vk.broadcast_to(dml_vk.asarray(3), 2).tolist() == [3, 3]
    assert dml_vk.broadcast_arrays() == ()


SHAPES = [(6, 20), (-1,), (2, 3, 20), (4, 30), (1, 2, 3, 4, 5), (2, 3, 4, 5), (5, 4, 3, 2)]


def test_reshapes_are_views_where_strides_allow():
    columns = X.permute(0, 1, 3, 2)
    for x in (X, IMAGES, columns, X.flip(0, 1, 2, 3), X.expand(2, 3, 4, 5)):
        for shape in SHAPES:
            expected = x.numpy().reshape(shape)
            found = dml_vk.reshape(x, shape)
            assert_same(found, expected)
            layout = x.layout.view(shape)
            shared = found.allocation is x.allocation
            assert shared is (layout is not None)
            assert found.layout == layout if shared else Layout(expected.shape)
            own = dml_vk.reshape(x, shape, copy=True)
            assert own.allocation is not x.allocation
            assert own.layout == (Layout(expected.shape) if layout is None else layout.like())
            assert_same(own, expected)
            if shared:
                assert_view(dml_vk.reshape(x, shape, copy=False), x, expected)
            else:
                with pytest.raises(
                    LayoutError, match="reshape: copy=False needs strides that allow a view"
                ):
                    dml_vk.reshape(x, shape, copy=False)
    assert dml_vk.reshape(IMAGES, (2, 3, 4, 5)).memory_format is channels_last
    assert dml_vk.reshape(IMAGES, (2, 3, 4, 5), copy=True).memory_format is channels_last
    assert dml_vk.reshape(dml_vk.asarray(3), 1).tolist() == [3]
    assert dml_vk.reshape(dml_vk.zeros((0, 3)), (5, 0, 2)).shape == (5, 0, 2)


@tier.examples(40)
@given(layouts(max_rank=4), st.sampled_from(ITEMSIZES))
def test_a_reshape_to_one_dim(layout, itemsize):
    x, array = tensor_over(layout, itemsize)
    assert_same(dml_vk.reshape(x, -1) if array.size else x, array.ravel() if array.size else array)


def test_a_trace_shows_what_reshape_copies():
    with dml_vk.trace() as log:
        dml_vk.reshape(X, (6, 20))
        dml_vk.reshape(IMAGES, (6, 20))
        dml_vk.reshape(X, (6, 20), copy=True)
    found = [(entry.op, entry.reason, entry.source, entry.nbytes) for entry in log.entries]
    assert found == [
        ("reshape", "layout", channels_last, 480),
        ("reshape", "asked", contiguous_format, 480),
    ]


@tier.examples(60)
@given(st.data(), layouts(max_rank=4), st.sampled_from(ITEMSIZES), st.integers(1, 3))
def test_joins(data, layout, itemsize, count):
    rank = layout.rank
    parts = [(layout, None)]
    axis = data.draw(st.integers(-rank, rank - 1)) if rank else None
    for _ in range(count - 1):
        sizes = list(layout.sizes)
        if rank:
            sizes[axis] = data.draw(st.integers(0, 4))
        parts.append((data.draw(layouts(sizes=tuple(sizes))), None))
    parts = [tensor_over(one, itemsize) for one, _ in parts]
    tensors, arrays = [x for x, _ in parts], [array for _, array in parts]
    if rank:
        joined = np.concatenate(arrays, axis)
        found = dml_vk.concat(tensors, axis=axis)
        assert_same(found, joined)
        assert found.layout == concatenate([x.layout for x in tensors], axis)
        target = data.draw(layouts(sizes=joined.shape).filter(lambda one: not one.overlaps))
        check_writes(
            lambda out: dml_vk.concat(tensors, axis=axis, out=out), target, itemsize, joined
        )
    assert_same(dml_vk.concat(tensors, axis=None), np.concatenate(arrays, None))
    axis = data.draw(st.integers(-rank - 1, rank))
    alike = [one for one in parts if one[0].shape == layout.sizes]
    found = dml_vk.stack([x for x, _ in alike], axis=axis)
    stacked = np.stack([array for _, array in alike], axis)
    assert_same(found, stacked)
    assert found.layout.is_packed


def test_joins_of_several_dtypes():
    arrays = [np.array([[1, 2, 255]], np.uint8), np.array([[-3, 4, 5]], np.int8)]
    arrays += [np.array([[1000, -5, 6]], np.int32)]
    tensors = [dml_vk.asarray(array) for array in arrays]
    for count in (1, 2, 3):
        expected = np.concatenate(arrays[:count])
        assert_same(dml_vk.concat(tensors[:count]), expected)
        out = dml_vk.zeros(expected.shape, expected.dtype, memory_format=(1, 0))
        assert dml_vk.concat(tuple(tensors[:count]), out=out) is out
        assert_same(out, expected)
        assert_same(dml_vk.stack(tensors[:count], axis=-1), np.stack(arrays[:count], -1))


def test_joins_beyond_what_numpy_takes():
    rows = [dml_vk.full((1, 3), k, "uint8") for k in range(100)]
    expected = np.repeat(np.arange(100, dtype=np.uint8), 3).reshape(100, 3)
    assert_same(dml_vk.concat(rows), expected)
    assert_same(dml_vk.stack(rows, axis=2), expected.T[None])
    x = dml_vk.asarray(np.arange(512, dtype=np.int16).reshape((2,) * 9))
    for axis in (0, 4, 8):
        assert_same(
            dml_vk.concat([x, x.flip(3)], axis=axis),
            np.concatenate([x.numpy(), np.flip(x.numpy(), 3)], axis),
        )


def test_an_operand_of_a_join_may_be_where_it_is_written():
    memory = np.arange(1, 31, dtype=np.int16)
    for cut in (lambda x: [x[10:], x[:10]], lambda x: [x[:10], x[10:]], lambda x: [x[::-1]]):
        x = dml_vk.asarray(memory)
        with dml_vk.trace() as log:
            dml_vk.concat(cut(x), out=x)
        assert {entry.reason for entry in log.entries} == {"overlap"}
        assert_same(x, np.concatenate(cut(memory)))
    x = dml_vk.asarray(memory).reshape(2, 15)
    dml_vk.stack([x[1], x[0]], out=x)
    assert_same(x, memory.reshape(2, 15)[::-1])


FORMATS = {
    "images of a batch": ([IMAGES.select(0, k) for k in range(2)], 0, (0, 2, 3, 1)),
    "one channels_last image is enough": ([X.select(0, 0), IMAGES.select(0, 0)], 0, (0, 2, 3, 1)),
    "row-major, outermost": ([X, X], 0, (0, 1, 2, 3, 4)),
    "row-major, innermost": ([X, X], 4, (0, 1, 2, 3, 4)),
    "row-major, between": ([X.select(0, 0)] * 2, 1, (0, 1, 2, 3)),
    "frames of a film": ([IMAGES, IMAGES], 2, (0, 2, 3, 4, 1)),
    "batches of channels_last": ([IMAGES, IMAGES], 0, (0, 1, 3, 4, 2)),
    "columns": ([X.select(0, 0).permute(2, 1, 0)] * 2, 1, (1, 3, 2, 0)),
    "matrices by columns": ([X.select(0, 0).select(0, 0).T] * 3, 0, (0, 2, 1)),
}


@pytest.mark.parametrize("name", FORMATS)
def test_where_the_new_dim_of_a_stack_lies(name):
    tensors, axis, order = FORMATS[name]
    found = dml_vk.stack(tensors, axis=axis)
    assert found.layout == Layout.packed(found.shape, order)
    assert_same(found, np.stack([x.numpy() for x in tensors], axis))


def test_pieces_join_to_the_same_format():
    for x in (IMAGES, X, X.permute(3, 1, 0, 2)):
        assert dml_vk.concat(x.split(1, 1), axis=1).layout == x.layout.like()
        assert dml_vk.stack(dml_vk.unstack(x)).layout.memory_format is x.memory_format


def test_bits_of_floats_are_kept():
    bits = np.array([0x7FC12345, 0xFF812345, 0x80000000, 1, 0x7F800000, 7], np.uint32)
    x = dml_vk.asarray(bits.view(np.float32))
    for found, expected in (
        (dml_vk.roll(x, 2), np.roll(bits, 2)),
        (dml_vk.concat([x, x.flip(0)]), np.concatenate([bits, bits[::-1]])),
        (dml_vk.repeat(x, 2), np.repeat(bits, 2)),
        (dml_vk.tile(x, 3), np.tile(bits, 3)),
        (dml_vk.pad(x, 1, mode="edge"), np.pad(bits, 1, "edge")),
        (dml_vk.stack([x, x]), np.stack([bits, bits])),
    ):
        assert_same(found, expected.view(np.float32))


HALVES, LINE = dml_vk.zeros((2, 3), "float16"), dml_vk.zeros(3)
SCALAR = dml_vk.asarray(3.5)
ERRORS = [
    (lambda: dml_vk.broadcast_to(X, (2, 3)), LayoutError, "broadcast_to: sizes must have at least"),
    (lambda: dml_vk.broadcast_to(LINE, (2, 4)), LayoutError, "broadcast_to: .*; got shape=.2, 4"),
    (lambda: dml_vk.broadcast_to(LINE, (-1,)), LayoutError, "broadcast_to: sizes must not be neg"),
    (lambda: dml_vk.broadcast_to(3, 3), DTypeError, "broadcast_to: x must be a Tensor"),
    (lambda: dml_vk.broadcast_arrays(X, LINE), LayoutError, "broadcast_arrays: sizes must agree"),
    (lambda: dml_vk.broadcast_arrays(3), DTypeError, "broadcast_arrays: array must be a Ten"),
    (lambda: dml_vk.expand_dims(X, axis=5), LayoutIndexError, "expand_dims: axis must be from -5"),
    (lambda: dml_vk.expand_dims(X, axis=(1, 1)), LayoutError, "expand_dims: axis must not repeat"),
    (lambda: dml_vk.flip(X, axis=range(5)), LayoutError, "flip: .* a sequence of at most 4"),
    (lambda: dml_vk.flip(X, axis=4), LayoutIndexError, "flip: axis must be from -4 to 3; got axis"),
    (lambda: dml_vk.flip(SCALAR, axis=0), LayoutIndexError, "flip: axis is out of range"),
    (lambda: dml_vk.flip(X, axis="x"), LayoutError, "flip: axis must be an integer; got axis='x'"),
    (lambda: dml_vk.moveaxis(X, 4, 0), LayoutIndexError, "moveaxis: source must be from -4 to 3"),
    (lambda: dml_vk.moveaxis(X, 0, 4), LayoutIndexError, "moveaxis: destination must be from -4"),
    (lambda: dml_vk.moveaxis(X, (0, 1), 0), LayoutError, r"moveaxis: .* got source=.*, destinat"),
    (lambda: dml_vk.permute_dims(X, (0, 1)), LayoutError, "permute_dims: each .*; got axes="),
    (lambda: dml_vk.permute_dims(X, (0, 1, 2, 2)), LayoutError, "permute_dims: axes must not rep"),
    (lambda: dml_vk.reshape(X, (7, -1)), LayoutError, "reshape: .* multiply to .* got shape"),
    (lambda: dml_vk.reshape(X, 2.5), LayoutError, "reshape: shape must be a sequence of integers"),
    (lambda: dml_vk.squeeze(X, 1), LayoutError, "squeeze: only dims of size 1 can.*axis=1,"),
    (lambda: dml_vk.squeeze(X, (4,)), LayoutIndexError, "squeeze: axis must be from -4 to 3"),
    (lambda: dml_vk.unstack(X, axis=4), LayoutIndexError, "unstack: axis must be from -4 to 3"),
    (lambda: dml_vk.unstack(SCALAR), LayoutIndexError, "unstack: axis is out of range"),
    (lambda: dml_vk.concat([]), DTypeError, "concat: arrays must be a non-empty list"),
    (lambda: dml_vk.concat(X), DTypeError, "concat: arrays must be a non-empty list"),
    (lambda: dml_vk.concat([X, 3]), DTypeError, "concat: array must be a Tensor"),
    (lambda: dml_vk.concat([SCALAR]), LayoutIndexError, "concat: axis is out of range"),
    (lambda: dml_vk.concat([X, X], axis=4), LayoutIndexError, "concat: axis must be from -4 to 3"),
    (lambda: dml_vk.concat([LINE, HALVES]), LayoutError, "concat: sizes must agree in every"),
    (
        lambda: dml_vk.concat([LINE.to("int8"), LINE.to("uint64")]),
        DTypeError,
        "concat: cannot mix uint64 with signed integers",
    ),
    (lambda: dml_vk.concat([LINE], out=HALVES), LayoutError, r"concat: out must have the shape \("),
    (lambda: dml_vk.concat([LINE], axis=None, out=X), LayoutError, "concat: out must have the sh"),
    (lambda: dml_vk.stack([LINE, HALVES]), LayoutError, "stack: arrays must have the same shape"),
    (lambda: dml_vk.stack([LINE], axis=2), LayoutIndexError, "stack: axis must be from -2 to 1"),
    (lambda: dml_vk.stack([LINE, 1]), DTypeError, "stack: array must be a Tensor"),
    (lambda: dml_vk.stack([LINE], out=HALVES), LayoutError, r"stack: out must have the shape \(1"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "must"), ERRORS, ids=[one[2] for one in ERRORS])
def test_errors(call, kind, must):
    with pytest.raises(kind, match=f"^{must}"):
        call()
