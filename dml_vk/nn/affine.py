"""Weights and biases of norms, and the last step of a norm."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.dtypes import float32
from dml_vk.layout import Layout
from dml_vk.nn.activations import Activation
from dml_vk.ops.elementwise import cast_elements
from dml_vk.ops.rows import PAIR, finish
from dml_vk.ops.view import View, temporary, with_layout
from dml_vk.strides.order import Ints, packed_strides, row_major


def halves(what: str, sizes: Ints, near: View) -> tuple[View, View, View]:
    """Allocate pairs of numbers of these sizes; return them, the first numbers and the second."""
    strides = packed_strides(sizes, row_major(len(sizes)))
    made = temporary(what, Layout(sizes, strides), PAIR, near)
    apart = [2 * stride for stride in strides]
    first, second = [
        View(made.device, made.allocation, Layout(sizes, apart, offset), float32)
        for offset in range(2)
    ]
    return made, first, second


def normalise(
    what: str,
    x: View,
    pairs: View,
    weight: View | None,
    bias: View | None,
    target: View,
    activation: Activation | None,
) -> None:
    """Write (x - mean) * scale * weight + bias, after the activation.

    Each operation rounds to float32.
    """
    if weight is not None and bias is not None:
        both, first, second = halves(what, weight.layout.sizes, weight)
        cast_elements(what, weight, first)
        cast_elements(what, bias, second)
        finish(what, "affine", [x, pairs, both], target, activation)
    elif weight is not None:
        finish(what, "scaled", [x, pairs, weight], target, activation)
    elif bias is not None:
        finish(what, "shifted", [x, pairs, bias], target, activation)
    else:
        finish(what, "norm", [x, pairs], target, activation)


def grouped(view: View, dim: int, groups: int) -> View:
    """Split a dim into groups and the channels of each."""
    layout = view.layout
    sizes, strides = list(layout.sizes), list(layout.strides)
    each = sizes[dim] // groups
    sizes[dim : dim + 1] = [groups, each]
    strides[dim : dim + 1] = [each * strides[dim], strides[dim]]
    return with_layout(view, Layout(sizes, strides, layout.offset))


def given(operands: Sequence[View], has: tuple[bool, ...]) -> list[View | None]:
    """Return the operands after x in their places, with None for those that were omitted."""
    rest = iter(operands[1:])
    return [next(rest) if one else None for one in has]


def of_channels(operands: Sequence[View], has: tuple[bool, ...]) -> list[View | None]:
    """Do the same with numbers for each channel, as views that broadcast to x, (N, C, ...)."""
    ones = operands[0].layout.rank - 2
    views: list[View | None] = []
    for one in given(operands, has):
        if one is not None:
            (size,), (stride,) = one.layout.sizes, one.layout.strides
            layout = Layout((size, *[1] * ones), (stride, *[0] * ones), one.layout.offset)
            one = with_layout(one, layout)
        views.append(one)
    return views
