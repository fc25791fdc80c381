"""Norms over the elements of a row, a channel or a group: their mean and variance are computed.

`dml_vk.ops.rows` specifies the order in which elements are added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dml_vk.arguments import Axes, Ints, several, to_bool, to_int, to_ints
from dml_vk.array.calls import call
from dml_vk.array.manipulation.shapes import to_axes
from dml_vk.dtypes import float64
from dml_vk.errors import LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import broadcast_sizes
from dml_vk.nn.activations import Activation, to_activation
from dml_vk.nn.affine import (
    affine_of,
    grouped,
    name_of,
    normalise_rows,
    of_channels,
    repeated,
    weights_of,
)
from dml_vk.nn.float64 import norms as float64_norms
from dml_vk.nn.operands import floats, floats_beside, of_shape, to_eps, to_power, with_channels
from dml_vk.nn.powers import divide_by_norm
from dml_vk.ops.reduce import PARTIAL_RESULT
from dml_vk.ops.rows import finish, pairs_of, write_rows
from dml_vk.ops.view import with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over
from dml_vk.tracing.formats import operation


@hinted
def layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    eps: float = 1e-5,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Normalise over the last dims, of sizes `normalized_shape`: (x - mean) / sqrt(variance + eps).

    The weight and the bias have these sizes too. An `activation` of the result, as in `conv`, takes
    no launch of its own, here and in the other norms.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 3.0], [-5.0, 5.0]])
    >>> dml_vk.nn.layer_norm(x, 2, eps=0.0).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    what = "layer_norm"
    params = to_eps(what, eps), to_activation(what, activation)
    return _over_last(what, "scale", x, normalized_shape, weight, bias, out, *params)


@hinted
def rms_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    *,
    eps: float = 1e-6,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Divide by the root of the mean square over the last dims, plus eps under the root.

    >>> import dml_vk
    >>> dml_vk.nn.rms_norm(dml_vk.asarray([2.0, -2.0, 2.0, 2.0]), 4, eps=0.0).tolist()
    [1.0, -1.0, 1.0, 1.0]
    """
    what = "rms_norm"
    params = to_eps(what, eps), to_activation(what, activation)
    return _over_last(what, "squares", x, normalized_shape, weight, None, out, *params)


@hinted
def instance_norm(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    eps: float = 1e-5,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Normalise each channel of each item of (N, C, spatial...); weight and bias have size C.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[[1.0, 3.0], [-5.0, 5.0]]])
    >>> dml_vk.nn.instance_norm(x, dml_vk.asarray([1.0, 2.0]), eps=0.0).tolist()
    [[[-1.0, 1.0], [-2.0, 2.0]]]
    """
    what = "instance_norm"
    x = with_channels(what, x, 3)
    params = to_eps(what, eps), to_activation(what, activation)
    return _called(_instances, what, x, (x.shape[1],), weight, bias, out, *params)


@hinted
def group_norm(
    x: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    eps: float = 1e-5,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Normalise groups of channels of each item of (N, C, ...); weight and bias have size C.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[[1.0], [3.0], [-5.0], [5.0]]])
    >>> dml_vk.nn.group_norm(x, 2, eps=0.0).tolist()
    [[[-1.0], [1.0], [-1.0], [1.0]]]
    """
    what = "group_norm"
    x = with_channels(what, x)
    groups, channels = to_int(what, "num_groups", num_groups), x.shape[1]
    if groups < 1 or channels % groups:
        rule = f"num_groups must divide the {channels} channels"
        raise RangeError(what, rule, num_groups=num_groups)
    params = to_eps(what, eps), to_activation(what, activation)
    return _called(_groups, what, x, (channels,), weight, bias, out, groups, *params)


@hinted
def mean_variance_norm(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    axes: Axes,
    eps: float = 1e-5,
    normalize_variance: bool = True,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Normalise over these axes, or without `normalize_variance` only subtract the mean.

    Weight and bias broadcast to the shape of x.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 5.0], [3.0, -5.0]])
    >>> dml_vk.nn.mean_variance_norm(x, axes=0, normalize_variance=False).tolist()
    [[-1.0, 5.0], [1.0, -5.0]]
    """
    what = "mean_variance_norm"
    x = floats(what, x)
    dims = to_axes(what, axes, x.ndim, "axes")
    pair = "scale" if to_bool(what, "normalize_variance", normalize_variance) else "means"
    for name, operand in (("weight", weight), ("bias", bias)):
        if operand is None:
            continue
        if not _broadcasts(floats_beside(what, name, operand, x).shape, x.shape):
            rule = f"{name} must broadcast to the shape {x.shape}"
            raise LayoutError(what, rule, **{name: operand.shape})
    if weight is not None and bias is not None and weight.shape != bias.shape:
        sizes = broadcast_sizes(weight.shape, bias.shape)
        weight, bias = weight.expand(sizes), bias.expand(sizes)
    shapes = [None if operand is None else operand.shape for operand in (weight, bias)]
    shape = shapes[0] if shapes[1] is None else shapes[1]
    params = tuple(sorted(dims)), to_eps(what, eps), to_activation(what, activation)
    return _called(_rows, what, x, shape or (), weight, bias, out, pair, *params)


@hinted
def normalize(
    x: Tensor, *, p: float = 2, axis: Axes = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Divide by the p-norm over these axes, or by eps if that is larger; p may be infinity.

    >>> import dml_vk
    >>> dml_vk.nn.normalize(dml_vk.asarray([[3.0, -1.0], [0.0, 0.0]]), p=1).tolist()
    [[0.75, -0.25], [0.0, 0.0]]
    >>> dml_vk.nn.normalize(dml_vk.asarray([[3.0, -4.0]]), p=float("inf")).tolist()
    [[0.75, -1.0]]
    """
    what = "normalize"
    x = floats(what, x)
    power = to_power(what, "p", p, infinite=True)
    dims = tuple(sorted(to_axes(what, axis, x.ndim)))
    if power not in (1, 2):
        return call(divide_by_norm, (x,), out, dims, power, to_eps(what, eps))
    params = dims, to_eps(what, eps), None
    return _called(_rows, what, x, (), None, None, out, f"norm_{int(power)}", *params)


def _broadcasts(sizes: Ints, to: Ints) -> bool:
    last = to[len(to) - len(sizes) :]
    return len(sizes) <= len(to) and all(a in (1, b) for a, b in zip(sizes, last))


def _over_last(
    what: str,
    pair: str,
    x: object,
    shape: object,
    weight: object,
    bias: object,
    out: Tensor | None,
    *params: object,
) -> Tensor:
    x = floats(what, x)
    sizes = to_ints(what, "normalized_shape", several(shape))
    first = x.ndim - len(sizes)
    if not sizes or x.shape[max(0, first) :] != sizes:
        rule = f"normalized_shape must be the last sizes of x, whose shape is {x.shape}"
        raise LayoutError(what, rule, normalized_shape=shape)
    dims = tuple(range(first, x.ndim))
    return _called(_rows, what, x, sizes, weight, bias, out, pair, dims, *params)


def _called(
    function: Callable[..., Tensor],
    what: str,
    x: Tensor,
    shape: Ints,
    weight: object,
    bias: object,
    out: Tensor | None,
    *params: object,
) -> Tensor:
    """Call the function with x and what there is of weight and bias, which have this shape."""
    operands = [x]
    for name, operand in (("weight", weight), ("bias", bias)):
        if operand is not None:
            operands.append(of_shape(what, name, operand, shape, x))
    return call(function, operands, out, what, (weight is not None, bias is not None), *params)


@operation(flexible="first")
def _rows(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    has: tuple[bool, ...],
    pair: str,
    dims: Ints,
    eps: float,
    activation: Activation | None,
) -> Tensor:
    x: Tensor = operands[0]
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if x.size:
        normalise_rows(what, pair, x, target, dims, affine_of(operands, has), eps, activation)
    return target


@operation(flexible="first")
def _instances(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    has: tuple[bool, ...],
    eps: float,
    activation: Activation | None,
) -> Tensor:
    x: Tensor = operands[0]
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if x.size:
        dims, affine = tuple(range(2, x.ndim)), of_channels(operands, has)
        normalise_rows(what, "scale", x, target, dims, affine, eps, activation)
    return target


@operation(flexible="first")
def _groups(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    has: tuple[bool, ...],
    groups: int,
    eps: float,
    activation: Activation | None,
) -> Tensor:
    x: Tensor = operands[0]
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if not x.size:
        return target
    weight, bias = [
        None if view is None else grouped(view, 0, groups) for view in of_channels(operands, has)
    ]
    affine = weight, bias
    source, to = grouped(x, 1, groups), grouped(target, 1, groups)
    dims = tuple(range(3, x.ndim + 1))
    if x.dtype is float64:
        float64_norms.normalise(what, "scale", source, to, (2, *dims), affine, eps, activation)
        return target
    how: Any = {"part": 2, "affine": affine, "eps": eps, "activation": activation}
    if write_rows(what, "scale", name_of(affine), source, to, dims, **how):
        return target
    # Each channel first, since its elements may be read together in any format. Then for each the
    # pair of its group, so that channels can be read in runs.
    weights = weights_of(what, affine)
    channels = pairs_of(what, "scale", x, tuple(range(2, x.ndim)), eps, PARTIAL_RESULT)
    of_each = with_layout(channels, repeated(grouped(channels, 1, groups).layout, 2))
    pairs = pairs_of(what, "scale", of_each, (3,), eps)
    pairs = with_layout(pairs, pairs.layout.squeeze(3))
    finish(what, name_of(affine), [source, pairs, *weights], to, activation)
    return target
