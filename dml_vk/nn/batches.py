"""Norms of each channel over a whole batch, with given statistics or its own."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from dml_vk.array.calls import call, whole
from dml_vk.array.math.elementwise import square, subtract
from dml_vk.array.statistics.moments import mean as mean_of
from dml_vk.dtypes import float32, float64
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.nn.activations import Activation, to_activation
from dml_vk.nn.affine import Affine, joined, name_of, of_channels, over_channels, weights_of
from dml_vk.nn.float64 import norms as float64_norms
from dml_vk.nn.operands import of_shape, to_eps, with_channels
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.reduce import FOUR_NUMBERS
from dml_vk.ops.rows import PAIR, finish, write_pairs
from dml_vk.ops.view import View
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import result_over
from dml_vk.tracing.formats import operation


@hinted
def batch_norm(
    x: Tensor,
    mean: Tensor,
    var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    eps: float = 1e-5,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Normalise each channel of (N, C, ...) with a given mean and variance: all have size C.

    >>> import dml_vk
    >>> x, one = dml_vk.asarray([[[5.0, -3.0]]]), dml_vk.ones(1)
    >>> dml_vk.nn.batch_norm(x, one, 4.0 * one, eps=0.0).tolist()
    [[[2.0, -2.0]]]
    >>> dml_vk.nn.batch_norm(x, one, 4.0 * one, one, one, eps=0.0, activation="relu").tolist()
    [[[3.0, 0.0]]]
    """
    what = "batch_norm"
    x = with_channels(what, x)
    shape = (x.shape[1],)
    optional = {"weight": weight, "bias": bias}
    affine = {name: operand for name, operand in optional.items() if operand is not None}
    parts = [
        of_shape(what, name, operand, shape, x)
        for name, operand in ({"mean": mean, "var": var} | affine).items()
    ]
    has = weight is not None, bias is not None
    params = has, to_eps(what, eps), to_activation(what, activation)
    return call(_normalised, (x, *parts), out, *params)


@hinted
def batch_norm_train(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    eps: float = 1e-5,
    activation: object = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalise each channel of (N, C, ...) by its own mean and variance; return those too.

    The variance is the mean squared deviation. Both are float32, or float64 if x is.

    >>> import dml_vk
    >>> y, mean, var = dml_vk.nn.batch_norm_train(dml_vk.asarray([[5.0], [1.0]]), eps=0.0)
    >>> y.tolist(), mean.tolist(), var.tolist()
    ([[1.0], [-1.0]], [3.0], [4.0])
    """
    what = "batch_norm_train"
    x = with_channels(what, x)
    shape, eps = (x.shape[1],), to_eps(what, eps)
    for name, operand in (("weight", weight), ("bias", bias)):
        if operand is not None:
            of_shape(what, name, operand, shape, x)
    affine = [operand for operand in (weight, bias) if operand is not None]
    has = weight is not None, bias is not None
    after = to_activation(what, activation)
    y, numbers = whole(trained, (x, *affine), None, has, eps, after)
    return y, numbers[:, 0], numbers[:, 1]


def trained(
    operands: Sequence[Tensor],
    out: Tensor | None,
    has: tuple[bool, ...],
    eps: float,
    activation: Activation | None,
) -> tuple[Tensor, Tensor]:
    """The normalised elements, and the statistics of each channel, as rows."""
    numbers = call(_statistics, operands[:1], None, eps)
    y = call(_by_statistics, (operands[0], numbers, *operands[1:]), None, has, eps, activation)
    return y, numbers


@operation(flexible="first")
def _statistics(operands: Sequence[Tensor], out: Tensor | None, eps: float) -> Tensor:
    """Return the mean and the variance of each channel, and the pair that its elements need."""
    what = "batch_norm_train"
    x: Tensor = operands[0]
    channels = x.shape[1]
    kind = float64 if x.dtype is float64 else float32
    numbers = tensor_over(what, Layout((channels, 4)), kind, x.device, x.allocation)
    if x.size and kind is float64:
        axes = (0, *range(2, x.ndim))
        mean, var = [numbers.over(numbers.layout.select(1, k)) for k in range(2)]
        moved = subtract(x, mean_of(x, axis=axes, keepdims=True))
        mean_of(x, axis=axes, out=mean)
        mean_of(square(moved), axis=axes, out=var)
    elif x.size:
        fours = View(numbers.device, numbers.allocation, Layout((channels,)), FOUR_NUMBERS)
        write_pairs(what, "statistics", x, fours, (0, *range(2, x.ndim)), eps)
    else:
        fill_constant(what, numbers, kind, nan)
    return numbers


@operation(flexible="first")
def _by_statistics(
    operands: Sequence[Tensor],
    out: Tensor | None,
    has: tuple[bool, ...],
    eps: float,
    activation: Activation | None,
) -> Tensor:
    what = "batch_norm_train"
    x, numbers, *rest = operands
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if x.size and x.dtype is float64:
        columns = [numbers.over(numbers.layout.select(1, k)) for k in range(2)]
        _normalise_doubles(what, x, columns, target, of_channels([x, *rest], has), eps, activation)
    elif x.size:
        ones = [1] * (x.ndim - 2)
        layout = Layout((x.shape[1], *ones), (2, *[0 for _ in ones]), 1)
        pairs = View(numbers.device, numbers.allocation, layout, PAIR)
        affine = of_channels([x, *rest], has)
        weights = weights_of(what, affine)
        finish(what, name_of(affine), [x, pairs, *weights], target, activation)
    return target


@operation(flexible="first")
def _normalised(
    operands: Sequence[Tensor],
    out: Tensor | None,
    has: tuple[bool, ...],
    eps: float,
    activation: Activation | None,
) -> Tensor:
    what = "batch_norm"
    x: Tensor = operands[0]
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if not x.size:
        return target
    affine = of_channels([x, *operands[3:]], has)
    if x.dtype is float64:
        _normalise_doubles(what, x, operands[1:3], target, affine, eps, activation)
        return target
    mean, var = [over_channels(numbers, x.ndim) for numbers in operands[1:3]]
    pairs = joined(what, "scale", mean, var, eps)
    weights = weights_of(what, affine)
    finish(what, name_of(affine), [x, pairs, *weights], target, activation)
    return target


def _normalise_doubles(
    what: str,
    x: Tensor,
    statistics: Sequence[Tensor],
    target: Tensor,
    affine: Affine,
    eps: float,
    activation: Activation | None,
) -> None:
    mean, var = [Tensor(over_channels(numbers, x.ndim)) for numbers in statistics]
    moved, factor = subtract(x, mean), float64_norms.scale(var, eps)
    float64_norms.write(what, moved, factor, target, affine, activation)
