"""Gradients of embeddings, and of losses of a classification."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.creation.grids import arange
from dml_vk.array.manipulation.shapes import expand_dims, reshape
from dml_vk.array.math.elementwise import astype, divide, equal, multiply, negative, subtract, where
from dml_vk.array.statistics.reductions import sum
from dml_vk.gradients.rules.fitting import like, wide, wide_dtype
from dml_vk.gradients.rules.registry import Noted, rule, zero_gradient
from dml_vk.gradients.rules.sorted_sums import sums_at
from dml_vk.nn.lookup import _embedding, _one_hot
from dml_vk.nn.losses import _of_classes
from dml_vk.nn.softmax import log_softmax, softmax
from dml_vk.tensor.core import Tensor

zero_gradient(_one_hot)


@rule(_embedding)
def embedded(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Add the rows of each index, in the order of `sorted_sums`."""
    index, weight = noted.operands
    count, width = weight.shape
    rows = reshape(wide(cotangent), (index.size, width))
    return [None, like(sums_at(reshape(index, (index.size,)), rows, count), weight)]


@rule(_of_classes)
def of_classes(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """The share of each loss goes to its class, and for `cross_entropy` less softmax to all."""
    what, dim, ignores, weighs, reduction = noted.params
    x, index, *rest = noted.operands
    is_counted, weight = rest[0] if ignores else None, rest[-1] if weighs else None
    dtype = wide_dtype(x.dtype)
    classes = arange(x.shape[dim], dtype=index.dtype, device=x.device)
    classes = reshape(classes, (-1, *(1,) * (x.ndim - dim - 1)))
    is_class = equal(expand_dims(index, axis=dim), classes)
    if is_counted is not None:
        is_class = where(expand_dims(is_counted, axis=dim), is_class, False)
    # The weight of each loss, and 0 for those that are ignored.
    own = astype(is_class, dtype)
    if weight is not None:
        numbers = reshape(astype(weight, dtype, copy=False), (-1, *(1,) * (x.ndim - dim - 1)))
        own = multiply(own, numbers)
    shares = sum(own, axis=dim, keepdims=True)
    g = wide(cotangent)
    g = expand_dims(g, axis=dim) if reduction == "none" else g
    total = sum(shares) if reduction == "mean" else None
    if total is not None:
        # Of no losses the mean is NaN, and the gradient 0.
        g = where(equal(total, 0), 0, divide(g, total)) if ignores else divide(g, total)
    scores = wide(x)
    if what == "cross_entropy":
        data = multiply(subtract(multiply(softmax(scores, axis=dim), shares), own), g)
    else:
        data = negative(multiply(own, g))
    gradients: list[Tensor | None] = [like(data, x), None]
    gradients += [None] * ignores
    if weight is not None:
        logs = log_softmax(scores, axis=dim) if what == "cross_entropy" else scores
        losses = where(is_class, negative(logs), 0.0)
        if total is not None:
            losses = where(is_class, subtract(losses, wide(noted.result)), 0.0)
        axes = tuple([axis for axis in range(x.ndim) if axis != dim])
        gradients.append(like(sum(multiply(losses, g), axis=axes), weight))
    return gradients
