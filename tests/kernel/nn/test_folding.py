"""`unfold` and `fold` beside references that go tap by tap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.layout import Layout, channels_last
from dml_vk.testing import moves
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits, check_writes
from tests.kernel.tensors import assert_same, tensor_over

X = dml_vk.asarray(np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4))


@st.composite
def windows(draw):
    """(The spatial sizes, and the arguments), such that a kernel fits."""
    sizes, named = [], []
    for _ in range(2):
        size, padding = draw(st.integers(1, 6)), draw(st.integers(0, 3))
        kernel, gap = draw(st.integers(1, 4)), draw(st.integers(1, 3))
        gap = min(gap, (size + 2 * padding - 1) // max(1, kernel - 1)) or 1
        kernel = min(kernel, 1 + (size + 2 * padding - 1) // gap)
        sizes.append(size)
        named.append((kernel, gap, padding, draw(st.integers(1, 4))))
    kernel, dilation, padding, stride = [tuple(pair) for pair in zip(*named)]
    return tuple(sizes), kernel, {"dilation": dilation, "padding": padding, "stride": stride}


@settings(max_examples=40 if tier.is_all() else 4)  # each with pipelines of its own
@given(st.data(), windows(), st.sampled_from([1, 2, 4, 8]))
def test_unfold_of_any_layout_to_any_layout(data, given_windows, itemsize):
    sizes, kernel, named = given_windows
    x, array = tensor_over(data.draw(layouts(sizes=(2, 3, *sizes))), itemsize)
    expected = moves.unfold(array, kernel, **named)
    found = nn.unfold(x, kernel, **named)
    assert_same(found, expected)
    order = tuple([dim for dim in x.layout.order if dim < 3])
    assert found.layout == Layout.packed(expected.shape, order)
    check_writes(
        lambda out: nn.unfold(x, kernel, out=out, **named),
        *(data.draw(targets(sizes=expected.shape)), itemsize, expected),
    )


@settings(max_examples=40 if tier.is_all() else 4)
@given(st.data(), windows(), st.sampled_from(["float16", "float32", "float64", "int32"]))
def test_fold_of_any_layout(data, given_windows, dtype):
    sizes, kernel, named = given_windows
    shape = moves.unfold(np.zeros((2, 3, *sizes)), kernel, **named).shape
    layout = data.draw(layouts(sizes=shape))
    rank = layout.offset + layout.span + 1
    memory = (chance().standard_normal(rank + sum(map(abs, layout.strides))) * 9).astype(dtype)
    x = dml_vk.asarray(memory).over(layout)
    expected = moves.fold(x.numpy(), sizes, kernel, **named)
    found = nn.fold(x, sizes, kernel, **named)
    assert np.array_equal(bits(found.numpy()), bits(expected))
    out = dml_vk.empty(expected.shape, dtype, memory_format=channels_last)
    assert nn.fold(x, sizes, kernel, out=out, **named) is out
    assert np.array_equal(bits(out.numpy()), bits(expected))


def test_formats_that_sizes_do_not_tell():
    for form in (dml_vk.contiguous_format, channels_last):
        for sizes in ((1, 1, 1, 1), (1, 3, 1, 1), (2, 1, 4, 5), (1, 3, 4, 5)):
            columns = nn.unfold(dml_vk.zeros(sizes, memory_format=form), 1)
            assert columns.memory_format is form
            assert nn.fold(columns, sizes[2:], 1).memory_format is form


def test_padding_by_pairs_and_words():
    expected = nn.unfold(X, 2, padding=((1, 0), (0, 2)))
    whole = np.pad(X.numpy(), ((0, 0), (0, 0), (1, 0), (0, 2)))
    assert_same(expected, moves.unfold(whole, (2, 2)))
    assert_same(nn.unfold(X, 2, padding="valid"), moves.unfold(X.numpy(), (2, 2)))
    for stride in (1, 2, 3):
        same = nn.unfold(X, (2, 3), padding="same", stride=stride)
        assert same.shape[2] == -(-3 // stride) * -(-4 // stride)
    same = nn.unfold(X, 2, padding="same")  # the odd element at the end
    assert_same(same, moves.unfold(np.pad(X.numpy(), ((0, 0), (0, 0), (0, 1), (0, 1))), (2, 2)))
    assert nn.unfold(X, (1, 1), padding="same", stride=4).shape == (1, 2, 1)


def test_nothing_and_in_place():
    assert nn.unfold(dml_vk.zeros((0, 2, 3, 4)), 2).shape == (0, 8, 6)
    assert nn.fold(dml_vk.zeros((1, 0, 6)), (3, 4), 2).shape == (1, 0, 3, 4)
    line = X.clone()
    nn.unfold(line, 1, out=line.reshape((1, 2, 12)))
    assert np.array_equal(line.numpy(), X.numpy())
    array = X.numpy().reshape(1, 2, 12)
    nn.fold(line.reshape((1, 2, 12)), (3, 4), 1, out=line)
    assert np.array_equal(line.numpy().reshape(1, 2, 12), array)


COLUMNS = dml_vk.zeros((1, 8, 6))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.unfold(3, 2), DTypeError, "unfold: x must be a Tensor"),
        (lambda: nn.unfold(X[0], 2), LayoutError, "unfold: x must have the dims N and C and 2 sp"),
        (lambda: nn.unfold(X, 4), LayoutError, "unfold: windows must fit .*kernel_size=.4"),
        (lambda: nn.unfold(X, (1, 2, 3)), LayoutError, "unfold: kernel_size must be .* the 2 spa"),
        (lambda: nn.unfold(X, 0), RangeError, "unfold: kernel_size must be from 1 to"),
        (lambda: nn.unfold(X, 1.5), LayoutError, "unfold: kernel_size must be an integer, or"),
        (lambda: nn.unfold(X, 2, stride=0), RangeError, "unfold: stride must be from 1 to"),
        (lambda: nn.unfold(X, 2, dilation=()), LayoutError, "unfold: dilation must be"),
        (lambda: nn.unfold(X, 2, padding=-1), RangeError, "unfold: padding must be from 0 to"),
        (lambda: nn.unfold(X, 2, padding="full"), RangeError, "unfold: padding must be numbers, "),
        (lambda: nn.unfold(X, 2, padding=(1,)), LayoutError, "unfold: padding must be an integer"),
        (lambda: nn.unfold(X, 2, padding=((1, 2, 3), 1)), LayoutError, "unfold: padding must be"),
        (lambda: nn.unfold(X, 2, out=X), LayoutError, "unfold: out must have the shape"),
        (lambda: nn.fold(X, 3, 2), LayoutError, "fold: x must have the dims N, C"),
        (lambda: nn.fold(COLUMNS > 0, 3, 2), DTypeError, "fold: dtype must be one of"),
        (lambda: nn.fold(COLUMNS, (3, 0), 2), RangeError, "fold: output_size must be from 1"),
        (lambda: nn.fold(COLUMNS, (3, 4), 3), LayoutError, "fold: x.shape.1. must be a multiple"),
        (lambda: nn.fold(COLUMNS, (3, 3), 2), LayoutError, r"fold: x.shape.2. must.*s=\(2, 2\)"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
