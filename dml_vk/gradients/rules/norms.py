"""Gradients of norms: those of a row, in which its mean and its variance take part.

Of y = (x - mean) / sqrt(variance + eps), for a cotangent g that has been multiplied by the weight,
it is (g - mean(g) - y * mean(g * y)) / sqrt(variance + eps). Means are computed again, in the order
of `mean`; float16 in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, cast

from dml_vk.arguments import Ints
from dml_vk.array.manipulation.shapes import broadcast_to, reshape
from dml_vk.array.math.elementwise import (
    abs,
    add,
    astype,
    divide,
    equal,
    greater_equal,
    maximum,
    multiply,
    pow,
    reciprocal,
    sign,
    sqrt,
    square,
    subtract,
    where,
)
from dml_vk.array.statistics.moments import mean as mean_of
from dml_vk.array.statistics.reductions import max, sum
from dml_vk.gradients.rules.activations import before
from dml_vk.gradients.rules.fitting import like, over_channels, wide
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.gradients.rules.shapes import summed_to
from dml_vk.nn.batches import _normalised, batch_norm, trained
from dml_vk.nn.norms import (
    _groups,
    _instances,
    _rows,
    group_norm,
    instance_norm,
    mean_variance_norm,
    rms_norm,
)
from dml_vk.nn.powers import divide_by_norm
from dml_vk.tensor.core import Tensor

_Affine = tuple[Tensor | None, Tensor | None]


@rule(_rows)
def of_rows(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    _, has, pair, dims, eps, activation = noted.params
    x = noted.operands[0]
    affine = _affine(noted.operands[1:], has)
    if pair.startswith("norm"):
        return [_by_norm(x, cotangent, dims, float(pair[-1]), eps)]

    def again() -> Tensor:
        weight, bias = affine
        if pair == "squares":
            return rms_norm(x, x.shape[dims[0] :], weight, eps=eps)
        scaled = pair == "scale"
        how: Any = {"axes": dims, "eps": eps, "normalize_variance": scaled}
        return mean_variance_norm(x, weight, bias, **how)

    cotangent = before(activation, noted, cotangent, again)
    return _of_norm(x, affine, cotangent, dims, eps, pair)


@rule(_instances)
def of_instances(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    _, has, eps, activation = noted.params
    x = noted.operands[0]
    affine = _affine(noted.operands[1:], has)
    cotangent = before(activation, noted, cotangent, lambda: instance_norm(x, *affine, eps=eps))
    spread = _spread(affine, lambda numbers: over_channels(numbers, x.ndim))
    gradients = _of_norm(x, spread, cotangent, tuple(range(2, x.ndim)), eps, "scale")
    return _reshaped(gradients, noted.operands)


@rule(_groups)
def of_groups(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    _, has, groups, eps, activation = noted.params
    x = noted.operands[0]
    affine = _affine(noted.operands[1:], has)
    cotangent = before(
        activation, noted, cotangent, lambda: group_norm(x, groups, *affine, eps=eps)
    )
    sizes = (x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    spread = _spread(affine, lambda numbers: reshape(numbers, (*sizes[1:3], *(1,) * (x.ndim - 2))))
    split = reshape(x, sizes), reshape(cotangent, sizes)
    gradients = _of_norm(split[0], spread, split[1], tuple(range(2, len(sizes))), eps, "scale")
    return _reshaped(gradients, noted.operands)


def _of_norm(
    x: Tensor, affine: _Affine, cotangent: Tensor, dims: Ints, eps: float, pair: str
) -> list[Tensor]:
    """Return the gradients of x and of what there is of a weight and a bias."""
    weight, bias = affine
    g, near = wide(cotangent), wide(x)
    scaled = g if weight is None else multiply(g, wide(weight))
    if pair == "squares":
        moved, square_mean = near, mean_of(square(near), axis=dims, keepdims=True)
    else:
        moved = subtract(near, mean_of(near, axis=dims, keepdims=True))
        square_mean = mean_of(square(moved), axis=dims, keepdims=True)
    y, factor = moved, None
    if pair != "means":
        factor = reciprocal(sqrt(add(square_mean, eps)))
        y = multiply(moved, factor)
    data = scaled
    if pair != "squares":
        data = subtract(data, mean_of(scaled, axis=dims, keepdims=True))
    if factor is not None:
        along = mean_of(multiply(scaled, y), axis=dims, keepdims=True)
        data = multiply(subtract(data, multiply(y, along)), factor)
    gradients = [like(data, x)]
    if weight is not None:
        gradients.append(like(summed_to(multiply(g, y), weight.shape), weight))
    if bias is not None:
        gradients.append(like(summed_to(g, bias.shape), bias))
    return gradients


def _affine(operands: Sequence[Tensor], has: tuple[bool, ...]) -> _Affine:
    rest = iter(operands)
    weight, bias = [next(rest) if is_there else None for is_there in has]
    return weight, bias


def _spread(affine: _Affine, view: Callable[[Tensor], Tensor]) -> _Affine:
    weight, bias = [None if numbers is None else view(numbers) for numbers in affine]
    return weight, bias


def _reshaped(gradients: Sequence[Tensor], operands: Sequence[Tensor]) -> list[Tensor]:
    return [reshape(each, operand.shape) for each, operand in zip(gradients, operands)]


@rule(_normalised)
def of_batch(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Of a batch norm whose statistics are operands."""
    has, eps, activation = noted.params
    x, mean, var, *rest = noted.operands
    affine = _affine(rest, has)
    cotangent = before(
        activation, noted, cotangent, lambda: batch_norm(x, mean, var, *affine, eps=eps)
    )
    data, shares, numbers = _by_numbers(x, mean, var, affine, cotangent, eps)
    return [data, *[like(each, near) for each, near in zip(numbers, (mean, var))], *shares]


@rule(trained)
def of_batch_statistics(noted: Noted, cotangents: Any) -> Sequence[Tensor | None]:
    """Of a batch norm by its own statistics: its first columns are the mean and the variance."""
    has, eps, activation = noted.params
    x, *rest = noted.operands
    y, statistics = cast(tuple[Tensor, Tensor], noted.result)
    mean, var = statistics[:, 0], statistics[:, 1]
    affine = _affine(rest, has)
    cotangent, own = cotangents
    of_numbers: Sequence[Tensor | None] = [None if own is None else own[:, k] for k in range(2)]
    shares: list[Tensor | None] = [None] * len(rest)
    data = None
    if cotangent is not None:
        applied = noted._replace(result=y)
        cotangent = before(
            activation, applied, cotangent, lambda: batch_norm(x, mean, var, *affine, eps=eps)
        )
        data, shares[:], numbers = _by_numbers(x, mean, var, affine, cotangent, eps)
        of_numbers = [_total(each, new) for each, new in zip(of_numbers, numbers)]
    return [_total(data, _of_statistics(x, *of_numbers)), *shares]


def _of_statistics(x: Tensor, of_mean: Tensor | None, of_var: Tensor | None) -> Tensor:
    """Return the gradient of x through its mean and its variance."""
    near, axes = wide(x), (0, *range(2, x.ndim))
    count = x.size // x.shape[1] if x.size else 1
    shares = [
        None if each is None else over_channels(divide(each, count), x.ndim)
        for each in (of_mean, of_var)
    ]
    moved = subtract(near, mean_of(near, axis=axes, keepdims=True))
    of_moved = None if shares[1] is None else multiply(multiply(moved, 2.0), shares[1])
    total = _total(of_moved, shares[0])
    assert total is not None
    return like(broadcast_to(total, x.shape), x)


def _total(first: Tensor | None, second: Tensor | None) -> Tensor | None:
    if first is None or second is None:
        return second if first is None else first
    return add(first, second)


def _by_numbers(
    x: Tensor, mean: Tensor, var: Tensor, affine: _Affine, cotangent: Tensor, eps: float
) -> tuple[Tensor, list[Tensor], tuple[Tensor, Tensor]]:
    """Return the gradients of x, of what there is of weight and bias, and of mean and variance."""
    weight, bias = affine
    axes, rank = (0, *range(2, x.ndim)), x.ndim
    g = wide(cotangent)
    factor = reciprocal(sqrt(add(wide(var), eps)))
    slope = factor if weight is None else multiply(factor, wide(weight))
    moved = subtract(wide(x), over_channels(wide(mean), rank))
    products = sum(multiply(g, moved), axis=axes)
    total = sum(g, axis=axes)
    of_mean = multiply(multiply(total, slope), -1.0)
    of_var = multiply(multiply(products, slope), multiply(square(factor), -0.5))
    shares = []
    if weight is not None:
        shares.append(like(multiply(products, factor), weight))
    if bias is not None:
        shares.append(like(total, bias))
    return like(multiply(g, over_channels(slope, rank)), x), shares, (of_mean, of_var)


@rule(divide_by_norm)
def of_normalize(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    dims, power, eps = noted.params
    return [_by_norm(noted.operands[0], cotangent, dims, power, eps)]


def _by_norm(x: Tensor, cotangent: Tensor, dims: Ints, power: float, eps: float) -> Tensor:
    """Of x / max(norm, eps): norms from eps on pass a gradient."""
    g, near = wide(cotangent), wide(x)
    norm, slopes = norm_and_slopes(near, dims, power)
    least = maximum(norm, eps)
    along = sum(multiply(g, near), axis=dims, keepdims=True)
    of_norm = where(greater_equal(norm, eps), divide(along, square(least)), 0.0)
    return like(subtract(divide(g, least), multiply(slopes, of_norm)), x)


def norm_and_slopes(x: Tensor, dims: Ints, power: float) -> tuple[Tensor, Tensor]:
    """Return the norm of real numbers, and its slope for each of them: 0 where PyTorch's is."""
    size = abs(x)
    if power == inf:
        norm = max(size, axis=dims, keepdims=True)
        is_most = astype(equal(size, norm), x.dtype)
        return norm, divide(multiply(sign(x), is_most), sum(is_most, axis=dims, keepdims=True))
    if power == 1:
        return sum(size, axis=dims, keepdims=True), sign(x)
    if power == 2:
        norm = sqrt(sum(square(x), axis=dims, keepdims=True))
        is_none = equal(norm, 0.0)
        return norm, where(is_none, 0.0, divide(x, where(is_none, 1.0, norm)))
    norm = pow(sum(pow(size, power), axis=dims, keepdims=True), 1 / power)
    is_none = equal(x, 0.0)
    ratio = divide(where(is_none, 1.0, size), where(equal(norm, 0.0), 1.0, norm))
    return norm, where(is_none, 0.0, multiply(sign(x), pow(ratio, power - 1)))
