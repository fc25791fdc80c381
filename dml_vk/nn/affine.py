"""Weights and biases of norms, and the last step of a norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dml_vk.dtypes import float32
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import cast_elements
from dml_vk.ops.rows import PAIR, Activation, finish, pairs_of, write_rows
from dml_vk.ops.view import View, temporary, with_layout
from dml_vk.strides.order import Ints, packed_strides, row_major

Affine = tuple[View | None, View | None]  # weight and bias


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


def normalise_rows(
    what: str,
    pair: str,
    x: View,
    target: View,
    dims: Ints,
    affine: Affine,
    eps: float,
    activation: Activation | None,
) -> None:
    """Normalise the rows of x along these dims, by the pair of each."""
    how: Any = {"affine": affine, "eps": eps, "activation": activation}
    if not write_rows(what, pair, name_of(affine), x, target, dims, **how):
        normalise(what, x, pairs_of(what, pair, x, dims, eps), affine, target, activation)


def normalise(
    what: str,
    x: View,
    pairs: View,
    affine: Affine,
    target: View,
    activation: Activation | None,
) -> None:
    """Write (x - mean) * scale * weight + bias, after the activation.

    Each operation rounds to float32.
    """
    weight, bias = affine
    given = [one for one in affine if one is not None]
    if weight is not None and bias is not None:
        both, first, second = halves(what, weight.layout.sizes, weight)
        cast_elements(what, weight, first)
        cast_elements(what, bias, second)
        given = [both]
    finish(what, name_of(affine), [x, pairs, *given], target, activation)


def name_of(affine: Affine) -> str:
    """Return what `finish` does with a weight and a bias, or without one of them."""
    weight, bias = affine
    if weight is None:
        return "norm" if bias is None else "shifted"
    return "scaled" if bias is None else "affine"


def grouped(view: View, dim: int, groups: int) -> View:
    """Split a dim into groups and the channels of each."""
    layout = view.layout
    sizes, strides = list(layout.sizes), list(layout.strides)
    each = sizes[dim] // groups
    sizes[dim : dim + 1] = [groups, each]
    strides[dim : dim + 1] = [each * strides[dim], strides[dim]]
    return with_layout(view, Layout(sizes, strides, layout.offset))


def repeated(layout: Layout, dim: int) -> Layout:
    """Put a dim before this one, along which all of this one is repeated as often as its size."""
    sizes, strides = list(layout.sizes), list(layout.strides)
    sizes.insert(dim, sizes[dim])
    strides.insert(dim, 0)
    return Layout(sizes, strides, layout.offset)


def given(operands: Sequence[View], has: tuple[bool, ...]) -> Affine:
    """Return weight and bias, which follow x, with None for what was omitted."""
    rest = iter(operands[1:])
    weight, bias = [next(rest) if one else None for one in has]
    return weight, bias


def of_channels(operands: Sequence[View], has: tuple[bool, ...]) -> Affine:
    """Do the same with numbers for each channel, as views that broadcast to x, (N, C, ...)."""
    ones = operands[0].layout.rank - 2
    views: list[View | None] = []
    for one in given(operands, has):
        if one is not None:
            (size,), (stride,) = one.layout.sizes, one.layout.strides
            layout = Layout((size, *[1] * ones), (stride, *[0] * ones), one.layout.offset)
            one = with_layout(one, layout)
        views.append(one)
    weight, bias = views
    return weight, bias
