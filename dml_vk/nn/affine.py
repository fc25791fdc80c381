"""Weights and biases of norms, and the last step of a norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.dtypes import float64
from dml_vk.layout import Layout
from dml_vk.nn.float64 import norms as float64_norms
from dml_vk.ops.activation import Activation
from dml_vk.ops.rows import PAIR, finish, pairs_of, write_joined, write_rows
from dml_vk.ops.view import View, temporary, with_layout
from dml_vk.strides.order import packed_strides, row_major

Affine = tuple[View | None, View | None]  # weight and bias


def joined(what: str, name: str, first: View, second: View, eps: float = 0.0) -> View:
    """Make pairs of two views of the same sizes: see `ops.rows.write_joined`."""
    sizes = first.layout.sizes
    layout = Layout(sizes, packed_strides(sizes, row_major(len(sizes))))
    pairs = temporary(what, layout, PAIR, first)
    write_joined(what, name, first, second, pairs, eps)
    return pairs


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
    if x.dtype is float64:
        float64_norms.normalise(what, pair, x, target, dims, affine, eps, activation)
        return
    how: Any = {"affine": affine, "eps": eps, "activation": activation}
    if not write_rows(what, pair, name_of(affine), x, target, dims, **how):
        weights = weights_of(what, affine)
        pairs = pairs_of(what, pair, x, dims, eps)
        finish(what, name_of(affine), [x, pairs, *weights], target, activation)


def weights_of(what: str, affine: Affine) -> list[View]:
    """Return the operands that `finish` takes after x and pairs.

    They are made before pairs: in memory that passes have used, they would have to wait for them.
    """
    weight, bias = affine
    if weight is not None and bias is not None:
        return [joined(what, "affine", weight, bias)]
    return [view for view in affine if view is not None]


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
    """Put a dim of the same size before this one, along which all of this one is repeated."""
    sizes, strides = list(layout.sizes), list(layout.strides)
    sizes.insert(dim, sizes[dim])
    strides.insert(dim, 0)
    return Layout(sizes, strides, layout.offset)


def affine_of(operands: Sequence[View], has: tuple[bool, ...]) -> Affine:
    """Return the weight and the bias, which follow x among operands; None for what is not there."""
    rest = iter(operands[1:])
    weight, bias = [next(rest) if is_there else None for is_there in has]
    return weight, bias


def of_channels(operands: Sequence[View], has: tuple[bool, ...]) -> Affine:
    """Return the weight and the bias of each channel, as views that broadcast to (N, C, ...)."""
    rank = operands[0].layout.rank
    weight, bias = [
        None if view is None else over_channels(view, rank) for view in affine_of(operands, has)
    ]
    return weight, bias


def over_channels(numbers: View, rank: int) -> View:
    """View numbers for each channel such that they broadcast to (N, C, ...)."""
    (size,), (stride,) = numbers.layout.sizes, numbers.layout.strides
    ones = rank - 2
    layout = Layout((size, *[1] * ones), (stride, *[0] * ones), numbers.layout.offset)
    return with_layout(numbers, layout)
