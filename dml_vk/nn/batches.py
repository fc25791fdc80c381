"""Norms of each channel over a whole batch, with given statistics or its own."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

from dml_vk.array.calls import call
from dml_vk.dtypes import float32
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.nn.activations import Activation, to_activation
from dml_vk.nn.affine import halves, normalise, of_channels
from dml_vk.nn.operands import of_shape, to_eps, with_channels
from dml_vk.ops.elementwise import SCALED, compute
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.numbers import float_words
from dml_vk.ops.rows import PAIR, write_pairs
from dml_vk.ops.view import View
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import result_over


def batch_norm(
    x: Tensor,
    mean: Tensor,
    var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    eps: float = 1e-5,
    activation: Any = None,
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
    given = {name: one for name, one in optional.items() if one is not None}
    parts = [
        of_shape(what, name, one, shape, x)
        for name, one in ({"mean": mean, "var": var} | given).items()
    ]
    has = weight is not None, bias is not None
    params = has, to_eps(what, eps), to_activation(what, activation)
    return call(_normalised, (x, *parts), out, *params)


def batch_norm_train(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    eps: float = 1e-5,
    activation: Any = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalise each channel of (N, C, ...) by its own mean and variance; return those too.

    The variance is the mean squared deviation. Both are float32.

    >>> import dml_vk
    >>> y, mean, var = dml_vk.nn.batch_norm_train(dml_vk.asarray([[5.0], [1.0]]), eps=0.0)
    >>> y.tolist(), mean.tolist(), var.tolist()
    ([[1.0], [-1.0]], [3.0], [4.0])
    """
    what = "batch_norm_train"
    x = with_channels(what, x)
    shape, eps = (x.shape[1],), to_eps(what, eps)
    for name, one in (("weight", weight), ("bias", bias)):
        if one is not None:
            of_shape(what, name, one, shape, x)
    to_activation(what, activation)
    both = call(_moments, (x,), None)
    mean, var = both[0], both[1]
    return batch_norm(x, mean, var, weight, bias, eps=eps, activation=activation), mean, var


def _moments(operands: Sequence[Any], out: Any) -> Tensor:
    """Return means and variances, as rows of a tensor over pairs of them."""
    what = "batch_norm_train"
    x: Tensor = operands[0]
    channels = x.shape[1]
    both = tensor_over(what, Layout((2, channels), (1, 2)), float32, x.device, x.allocation)
    if x.size:
        pairs = View(both.device, both.allocation, Layout((channels,)), PAIR)
        write_pairs(what, "moments", x, pairs, (0, *range(2, x.ndim)))
    else:
        fill_constant(what, both, float32, nan)
    return both


def _normalised(
    operands: Sequence[Any],
    out: Any,
    has: tuple[bool, ...],
    eps: float,
    activation: Activation | None,
) -> Tensor:
    what = "batch_norm"
    x: Tensor = operands[0]
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if not x.size:
        return target
    mean, var = of_channels(operands[:3], (True, True))
    weight, bias = of_channels([x, *operands[3:]], has)
    pairs, means, scales = halves(what, (x.shape[1], *[1] * (x.ndim - 2)), x)
    compute(what, OPERATORS["cast"], [mean], means, float32)
    # 1 / sqrt(1 * var + eps).
    numbers = float_words(0.0, 0.0, 1.0, eps)
    compute(what, OPERATORS["rsqrt"], [var], scales, float32, numbers, SCALED)
    normalise(what, x, pairs, weight, bias, target, activation)
    return target
