"""Gradients of attention: weights are computed again, for a block of queries at a time.

Blocks of queries have at most 2**22 weights, or one query of each item of the batch. Keys and
values add up what the blocks send them, from the first one on. So the order depends on shapes
alone, and weights of all queries are never in memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf

from dml_vk.array.creation.arrays import zeros_like
from dml_vk.array.creation.grids import arange
from dml_vk.array.manipulation.shapes import concat
from dml_vk.array.math.elementwise import add, equal, less_equal, multiply, where
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics.reductions import max
from dml_vk.dtypes import bool_
from dml_vk.gradients.rules.fitting import like, wide
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.gradients.rules.shapes import summed_to
from dml_vk.gradients.rules.softmax import through_softmax
from dml_vk.nn.attention import _attention
from dml_vk.nn.blocks import MOST
from dml_vk.nn.softmax import softmax
from dml_vk.tensor.core import Tensor


@rule(_attention)
def attention(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    causal, scale = noted.params
    q, k, v, *masks = noted.operands
    if not (cotangent.size and k.shape[-2]):
        return [zeros_like(each) for each in noted.operands]
    factor = 1 / math.sqrt(q.shape[-1] or 1) if scale is None else scale
    queries, keys = q.shape[-2], k.shape[-2]
    step = min(queries, MOST // (math.prod(cotangent.shape[:-2]) * keys) or 1)
    of_queries, of_masks = list[Tensor](), list[Tensor]()
    of_keys = of_values = None
    wide_k, wide_v, g = wide(k), wide(v), wide(cotangent)
    for start in range(0, queries, step):
        rows = slice(start, min(start + step, queries))
        near = multiply(wide(q[..., rows, :]), factor)
        scores = matmul(near, wide_k.mT)
        mask = _rows_of(masks[0], rows, queries) if masks else None
        if causal:
            mask = _triangle(scores, start)
        if mask is not None and mask.dtype is bool_:
            scores = where(mask, scores, -inf)
        elif mask is not None:
            scores = add(scores, wide(mask))
        weights = _weights(scores)
        own = g[..., rows, :]
        of_scores = through_softmax(weights, matmul(own, wide_v.mT), (scores.ndim - 1,))
        of_queries.append(
            summed_to(multiply(matmul(of_scores, wide_k), factor), q[..., rows, :].shape)
        )
        of_keys = _more(of_keys, matmul(of_scores.mT, near), k)
        of_values = _more(of_values, matmul(weights.mT, own), v)
        if masks and masks[0].dtype is not bool_:
            assert mask is not None
            of_masks.append(summed_to(of_scores, mask.shape))
    assert of_keys is not None
    assert of_values is not None
    gradients: list[Tensor | None] = [like(concat(of_queries, axis=-2), q)]
    gradients += [like(of_keys, k), like(of_values, v)]
    if masks:
        gradients.append(like(_joined(of_masks, masks[0]), masks[0]) if of_masks else None)
    return gradients


def _rows_of(mask: Tensor, rows: slice, queries: int) -> Tensor:
    """Return the part of a mask for some queries, which it may be the same for."""
    return mask[..., rows, :] if mask.ndim > 1 and mask.shape[-2] == queries else mask


def _joined(parts: Sequence[Tensor], mask: Tensor) -> Tensor:
    if mask.ndim > 1 and mask.shape[-2] > 1:
        return concat(parts, axis=-2)
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part)
    return total


def _triangle(scores: Tensor, start: int) -> Tensor:
    """Return which keys the queries from `start` on see: those up to their own number."""
    rows, keys = scores.shape[-2:]
    queries = arange(start, start + rows, device=scores.device)
    return less_equal(arange(keys, device=scores.device), queries[:, None])


def _weights(scores: Tensor) -> Tensor:
    """Return softmax of the scores, or 0 where all are -infinity."""
    is_none = equal(max(scores, axis=-1, keepdims=True), -inf)
    return where(is_none, 0.0, softmax(where(is_none, 0.0, scores)))


def _more(total: Tensor | None, part: Tensor, operand: Tensor) -> Tensor:
    part = summed_to(part, operand.shape)
    return part if total is None else add(total, part)
