"""Losses of a regression: how far predictions are from targets.

They are composed of public functions, through which gradients go. float16 is computed in float32
and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dml_vk.arguments import to_axis, to_bool
from dml_vk.array.calls import whole
from dml_vk.array.manipulation.shapes import broadcast_arrays
from dml_vk.array.math.elementwise import abs as magnitudes
from dml_vk.array.math.elementwise import (
    astype,
    exp,
    log,
    log1p,
    maximum,
    minimum,
    negative,
    xlogy,
)
from dml_vk.array.statistics.moments import mean
from dml_vk.array.statistics.reductions import sum
from dml_vk.dtypes import DType, float32, float64
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import broadcast_sizes
from dml_vk.linalg.norms import root_of_squares
from dml_vk.nn.arguments import to_word
from dml_vk.nn.losses import REDUCTIONS
from dml_vk.nn.operands import arrays_beside, floats, network_dtype, to_eps
from dml_vk.tensor.core import Tensor, copy
from dml_vk.tensor.operands import check_out, to_number

_OPTIONAL = ("weight", "pos_weight")


@hinted
def mse_loss(
    x: Tensor, target: Tensor, *, reduction: str = "mean", out: Tensor | None = None
) -> Tensor:
    """Return (x - target)**2, and by `reduction` the "mean" or "sum" of it, or "none" of these.

    >>> import dml_vk
    >>> dml_vk.nn.mse_loss(dml_vk.asarray([1.0, 4.0]), dml_vk.asarray([1.0, 2.0])).item()
    2.0
    """
    loss = _Loss("mse_loss", reduction, out, x=x, target=target)
    with loss.errors:
        apart = loss.x - loss.target
        return loss.of(apart * apart)


@hinted
def l1_loss(
    x: Tensor, target: Tensor, *, reduction: str = "mean", out: Tensor | None = None
) -> Tensor:
    """Return abs(x - target), reduced as by `mse_loss`.

    >>> import dml_vk
    >>> dml_vk.nn.l1_loss(dml_vk.asarray([1.0, 4.0]), dml_vk.asarray([1.0, 2.0])).item()
    1.0
    """
    loss = _Loss("l1_loss", reduction, out, x=x, target=target)
    with loss.errors:
        return loss.of(magnitudes(loss.x - loss.target))


@hinted
def smooth_l1_loss(
    x: Tensor,
    target: Tensor,
    *,
    reduction: str = "mean",
    beta: float = 1.0,
    out: Tensor | None = None,
) -> Tensor:
    """Return d**2 / (2 beta) where d = abs(x - target) is less than beta, else d - beta / 2.

    It is reduced as by `mse_loss`, and with a beta of 0 it is `l1_loss`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, 4.0])
    >>> dml_vk.nn.smooth_l1_loss(x, dml_vk.asarray([1.5, 2.0]), reduction="none").tolist()
    [0.125, 1.5]
    """
    bend = _bend("smooth_l1_loss", "beta", beta, is_open=False)
    loss = _Loss("smooth_l1_loss", reduction, out, x=x, target=target)
    with loss.errors:
        apart = magnitudes(loss.x - loss.target)
        return loss.of(_bent(apart, bend) * (1 / bend) if bend else apart)


@hinted
def huber_loss(
    x: Tensor,
    target: Tensor,
    *,
    reduction: str = "mean",
    delta: float = 1.0,
    out: Tensor | None = None,
) -> Tensor:
    """Return d**2 / 2 where d = abs(x - target) is at most delta, else delta (d - delta / 2).

    It is reduced as by `mse_loss`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, 4.0])
    >>> dml_vk.nn.huber_loss(x, dml_vk.asarray([2.0, 2.0]), reduction="none", delta=0.5).tolist()
    [0.375, 0.875]
    """
    bend = _bend("huber_loss", "delta", delta, is_open=True)
    loss = _Loss("huber_loss", reduction, out, x=x, target=target)
    with loss.errors:
        return loss.of(_bent(magnitudes(loss.x - loss.target), bend))


@hinted
def binary_cross_entropy_with_logits(
    x: Tensor,
    target: Tensor,
    *,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: str = "mean",
    out: Tensor | None = None,
) -> Tensor:
    """Return -(p t log(s) + (1 - t) log(1 - s)) of s = sigmoid(x) and t = target.

    `pos_weight`, p, and `weight`, a factor of each loss, broadcast to x. It is reduced as by
    `mse_loss`, and right for large x too.

    >>> import dml_vk
    >>> x, target = dml_vk.asarray([0.0, 1000.0]), dml_vk.asarray([1.0, 0.0])
    >>> dml_vk.nn.binary_cross_entropy_with_logits(x, target, reduction="none").tolist()
    [0.6931471824645996, 1000.0]
    """
    what = "binary_cross_entropy_with_logits"
    loss = _Loss(*(what, reduction, out), x=x, target=target, weight=weight, pos_weight=pos_weight)
    if loss.shapes[1] != loss.shapes[0]:
        rule = "target and x must have one shape"
        raise LayoutError(what, rule, target=loss.shapes[1], x=loss.shapes[0])
    if loss.shape != loss.shapes[0]:
        rule = "weights must broadcast to the shape of x"
        raise LayoutError(what, rule, weights=loss.shapes[2:], x=loss.shapes[0])
    with loss.errors:
        x, target = loss.x, loss.target
        # The logarithm of sigmoid(x), negated: neither exp overflows.
        losses = log1p(exp(negative(magnitudes(x)))) + maximum(negative(x), 0.0)
        if loss.rest[1] is not None:
            losses = losses * ((loss.rest[1] - 1) * target + 1)
        losses = (1 - target) * x + losses
        return loss.of(losses if loss.rest[0] is None else losses * loss.rest[0])


@hinted
def kl_div(
    x: Tensor,
    target: Tensor,
    *,
    reduction: str = "mean",
    log_target: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return target (log(target) - x) for logarithms x: the Kullback-Leibler divergence.

    With `log_target`, the target are logarithms too. It is reduced as by `mse_loss`, or by
    "batchmean": the sum, divided by the first size of x.

    >>> import dml_vk
    >>> x, target = dml_vk.asarray([[-1.0, -2.0]]), dml_vk.asarray([[1.0, 0.0]])
    >>> dml_vk.nn.kl_div(x, target, reduction="batchmean").item()
    1.0
    """
    of_logarithms = to_bool("kl_div", "log_target", log_target)
    loss = _Loss("kl_div", reduction, out, (*REDUCTIONS, "batchmean"), x=x, target=target)
    with loss.errors:
        x, target = loss.x, loss.target
        if of_logarithms:
            return loss.of(exp(target) * (target - x))
        return loss.of(xlogy(target, target) - target * x)


@hinted
def gaussian_nll_loss(
    x: Tensor,
    target: Tensor,
    var: Tensor,
    *,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
    out: Tensor | None = None,
) -> Tensor:
    """Return (log(var) + (x - target)**2 / var) / 2 for variances, of which the least is eps.

    `var` has the shape of x, or lacks its last axis, or has size 1 there. `full` adds the constant
    log(2 pi) / 2. It is reduced as by `mse_loss`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 3.0]])
    >>> dml_vk.nn.gaussian_nll_loss(x, dml_vk.zeros((1, 2)), dml_vk.ones(1)).item()
    2.5
    """
    what, least = "gaussian_nll_loss", to_eps("gaussian_nll_loss", eps)
    is_full = to_bool(what, "full", full)
    x, target, var = arrays_beside(what, x, target, var)
    var, shape = floats(what, var, "var"), floats(what, x).shape
    if shape and var.shape == shape[:-1] != shape:
        var = var[..., None]
    if var.shape not in (shape, (*shape[:-1], 1)):
        rule = "var must have the shape of x, lack its last axis or have size 1 there"
        raise LayoutError(what, rule, var=var.shape, x=shape)
    loss = _Loss(what, reduction, out, x=x, target=target, var=var)
    with loss.errors:
        variance, apart = whole(_at_least, loss.rest[:1], None, least), loss.x - loss.target
        losses = (log(variance) + apart * apart / variance) * 0.5
        return loss.of(losses + 0.5 * math.log(2 * math.pi) if is_full else losses)


@hinted
def cosine_similarity(
    x1: Tensor, x2: Tensor, axis: int = 1, eps: float = 1e-8, *, out: Tensor | None = None
) -> Tensor:
    """Return the cosine of the angle of vectors along an axis, whose norms are at least eps.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[3.0, 4.0], [0.0, 0.0]])
    >>> cosines = dml_vk.nn.cosine_similarity(x, dml_vk.asarray([[4.0, 3.0]]))
    >>> [round(cosine, 6) for cosine in cosines.tolist()]
    [0.96, 0.0]
    """
    what, least = "cosine_similarity", to_eps("cosine_similarity", eps)
    loss = _Loss(what, "none", None, x1=x1, x2=x2)
    dim = to_axis(what, "axis", axis, len(loss.shape))
    if out is not None:
        check_out(what, out, (*loss.shape[:dim], *loss.shape[dim + 1 :]), loss.dtype, loss.x)
    with loss.errors:
        x1, x2 = [
            x / maximum(root_of_squares(sum(x * x, axis=dim, keepdims=True)), least)
            for x in broadcast_arrays(loss.x, loss.target)
        ]
        return _written(astype(sum(x1 * x2, axis=dim), loss.dtype, copy=False), out)


def _at_least(operands: Sequence[Tensor], out: Tensor | None, least: float) -> Tensor:
    """Return the variances that a loss is computed with; gradients go to them as they were."""
    return maximum(operands[0], least, out=out)


class _Loss:
    """The checked operands of a loss, in the dtype of its computation, and what reduces it."""

    def __init__(
        self,
        what: str,
        reduction: object,
        out: Tensor | None,
        reductions: Sequence[str] = REDUCTIONS,
        **operands: object,
    ) -> None:
        self.out = out
        self.reduction = to_word(what, "reduction", reduction, reductions)
        names = [name for name, x in operands.items() if x is not None or name not in _OPTIONAL]
        arrays = arrays_beside(what, *[operands[name] for name in names])
        tensors = [floats(what, x, name) for name, x in zip(names, arrays)]
        self.dtype: DType = network_dtype(what, tensors)
        self.shapes = [x.shape for x in tensors]
        self.errors = ErrorsAs(what)
        with self.errors:
            self.shape = broadcast_sizes(*self.shapes)
        if out is not None:
            sizes = self.shape if reduction == "none" else ()
            check_out(what, out, sizes, self.dtype, tensors[0])
        wide = float64 if self.dtype is float64 else float32
        known = {name: astype(x, wide, copy=False) for name, x in zip(names, tensors)}
        self.x: Any
        self.target: Any
        self.x, self.target, *rest = [known.get(name) for name in operands]
        self.rest: list[Any] = rest

    def of(self, losses: Tensor) -> Tensor:
        """Reduce losses."""
        if self.reduction == "mean":
            losses = mean(losses)
        elif self.reduction != "none":
            losses = sum(losses)
        if self.reduction == "batchmean":
            losses = losses / (self.shapes[0] or (1,))[0]
        return _written(astype(losses, self.dtype, copy=False), self.out)


def _written(result: Tensor, out: Tensor | None) -> Tensor:
    if out is None:
        return result
    copy(result, out)
    return out


def _bend(what: str, name: str, value: object, *, is_open: bool) -> float:
    """Where a loss goes over from squares to a line."""
    number = float(to_number(what, name, value))
    if not (0 < number < math.inf or (number == 0 and not is_open)):
        least = "greater than 0" if is_open else "at least 0"
        raise RangeError(what, f"{name} must be finite and {least}", **{name: value})
    return number


def _bent(apart: Tensor, bend: float) -> Tensor:
    """Half the square of a distance up to `bend`, and a line from there on."""
    inside = minimum(apart, bend)
    return inside * (apart - inside * 0.5)
