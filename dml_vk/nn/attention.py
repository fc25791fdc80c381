"""Attention: means of values, with weights by how well their keys fit a query.

**The order of operations**, each of which rounds to float32, or to float64 if an operand has it:
the query times `scale`; its products with the keys, summed as by `matmul`; plus the mask; softmax
over the keys, as in `dml_vk.nn.softmax`, but 0 for a query that sees no key; the products of these
weights with the values, summed as by `matmul`. float16 is rounded once, at the end. Nothing else
matters: not layouts, the batch, or the blocks of queries in which it is computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.arguments import Ints, to_bool
from dml_vk.array.calls import call
from dml_vk.dtypes import DType, bool_, float16, float32, float64
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.nn.blocks import Box, boxes, part, sizes_of
from dml_vk.nn.float64 import norms as float64_norms
from dml_vk.nn.operands import arrays_beside, network_dtype
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import compute
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.matmul import add_products
from dml_vk.ops.numbers import scalar_words
from dml_vk.ops.rows import finish, pairs_of, write_rows
from dml_vk.ops.view import View, check_count, check_devices, temporary, with_layout
from dml_vk.strides.propagate import broadcast_sizes
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, result_over, to_number, to_tensor
from dml_vk.tracing.formats import operation


@hinted
def scaled_dot_product_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return softmax(q @ k.mT * scale + mask) @ v for q (..., L, E), k (..., S, E), v (..., S, Ev).

    The other dims broadcast. The scale is 1 / sqrt(E) unless given. A mask broadcasts to
    (..., L, S): where bools are False, a key is not seen, and floats are added. With `is_causal`
    query i sees the keys up to i. Queries that see none get zeros. The result has the order of q.

    >>> import dml_vk
    >>> q, k = dml_vk.zeros((2, 3)), dml_vk.zeros((2, 3))
    >>> v = dml_vk.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> dml_vk.nn.scaled_dot_product_attention(q, k, v, is_causal=True).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    what = "scaled_dot_product_attention"
    q, k, v, mask = arrays_beside(what, q, k, v, mask)
    operands = [to_tensor(what, name, operand) for name, operand in zip("qkv", (q, k, v))]
    causal = to_bool(what, "is_causal", is_causal)
    if mask is not None:
        operands.append(to_tensor(what, "mask", mask))
        wide = any(operand.dtype is float64 for operand in operands[:3])
        check_dtype(what, mask.dtype, (bool_, float16, float32, *[float64] * wide))
        check_devices(what, q=q, mask=mask)
        if causal:
            rule = "mask must be None if is_causal"
            raise LayoutError(what, rule, mask=mask.shape, is_causal=is_causal)
    factor = None if scale is None else float(to_number(what, "scale", scale))
    return call(_attention, operands, out, causal, factor)


@operation(flexible="first")
def _attention(
    operands: Sequence[Tensor], out: Tensor | None, causal: bool, scale: float | None
) -> Tensor:
    what = "scaled_dot_product_attention"
    dtype = network_dtype(what, operands[:3])
    batch = _batch(what, *operands)
    (queries, depth), keys = operands[0].shape[-2:], operands[1].shape[-2]
    sizes = (*batch, queries, operands[2].shape[-1])
    views = [_with_rank(operand, len(sizes)) for operand in operands]
    target = result_over(what, Layout.packed(sizes, views[0].layout.order), dtype, operands[0], out)
    for name, view in zip(("q", "k", "v", "mask", "the result"), (*views, target)):
        check_count(what, view, name)
    if not (target.size and keys):
        fill_constant(what, target, dtype, 0)
        return target
    q, k, v, *masks = [copy_if_overlapping(what, view, target) for view in views]
    if scale is None:
        scale = 1 / math.sqrt(depth or 1)
    added = masks[0] if masks else _triangle(what, queries, keys, q) if causal else None
    # A row takes its scores, its scaled query, and perhaps a result that is not rounded yet.
    covering = list(boxes((*batch, queries), max(keys, depth, sizes[-1])))
    largest = math.prod(sizes_of(covering[0]))
    wide = float64 if dtype is float64 else float32
    memory = temporary(what, Layout((largest * keys,)), wide, q)
    for box in covering:
        scores = with_layout(memory, Layout((*sizes_of(box), keys)))
        _scores(what, _scaled(what, part(q, box), scale, wide), part(k, box[:-1]), scores)
        if added is not None:
            _mask(what, scores, _of_rows(added, box))
        _weigh(what, scores)
        _means(what, scores, part(v, box[:-1]), part(target, box))
    return target


def _batch(what: str, q: Tensor, k: Tensor, v: Tensor, *masks: Tensor) -> Ints:
    """Check that shapes fit each other; return that of the batch."""
    shapes = {"q": q.shape, "k": k.shape, "v": v.shape}
    if min(map(len, shapes.values())) < 2:
        raise LayoutError(what, "q, k and v must have at least two dims", **shapes)
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        rule = "q.shape[-1] must equal k.shape[-1], and k.shape[-2] equal v.shape[-2]"
        raise LayoutError(what, rule, **shapes)
    batch = broadcast_sizes(what, (q.shape[:-2], k.shape[:-2], v.shape[:-2]))
    scores = (*batch, q.shape[-2], k.shape[-2])
    for mask in masks:
        if len(mask.shape) > len(scores) or broadcast_sizes(what, (mask.shape, scores)) != scores:
            rule = "mask must broadcast to the scores (..., L, S)"
            raise LayoutError(what, rule, mask=mask.shape, scores=scores)
    return batch


def _with_rank(view: View, rank: int) -> View:
    """Return a view with as many dims, of which the first ones are new and outermost."""
    layout = view.layout
    for _ in range(rank - layout.rank):
        layout = layout.unsqueeze(0)
    return with_layout(view, layout)


def _triangle(what: str, queries: int, keys: int, near: View) -> View:
    """Return 0 where a query sees a key up to its own number, and -infinity elsewhere.

    Along each diagonal it is the same element.
    """
    line = temporary(what, Layout((queries + keys - 1,)), float32, near)
    for start, count, value in ((0, queries, 0.0), (queries, keys - 1, -math.inf)):
        fill_constant(what, with_layout(line, line.layout.narrow(0, start, count)), float32, value)
    return with_layout(line, Layout((queries, keys), (-1, 1), queries - 1))


def _of_rows(added: View, box: Box) -> View:
    """Return the part of a mask for a box of the batch and of queries."""
    return part(added, box if added.layout.rank > len(box) else box[-1:])


def _scaled(what: str, q: View, scale: float, dtype: DType) -> View:
    if scale == 1:
        return q
    scaled = temporary(what, Layout(q.layout.sizes), dtype, q)
    words = scalar_words(what, "scale", dtype, scale)
    compute(what, OPERATORS["multiply"], (q, None), scaled, dtype, words)
    return scaled


def _scores(what: str, q: View, k: View, scores: View) -> None:
    sizes = (*scores.layout.sizes, q.layout.sizes[-1])
    rows, columns = q.layout.unsqueeze(-2).expand(sizes), k.layout.unsqueeze(-3).expand(sizes)
    add_products(what, with_layout(q, rows), with_layout(k, columns), scores)


def _mask(what: str, scores: View, mask: View) -> None:
    """Add the mask, as floats: so NaN and infinities stay what they become in PyTorch."""
    if mask.dtype is bool_:
        words = (
            *scalar_words(what, "x1", float32, 0),
            *scalar_words(what, "x2", float32, -math.inf),
        )
        added = temporary(what, Layout(mask.layout.sizes), float32, scores)
        compute(what, OPERATORS["where"], (mask, None, None), added, float32, words)
        mask = added
    compute(what, OPERATORS["add"], (scores, mask), scores, scores.dtype)


def _weigh(what: str, scores: View) -> None:
    """Replace scores by their softmax over the last dim, or by 0 where all are -infinity."""
    last = (scores.layout.rank - 1,)
    if scores.dtype is float64:
        float64_norms.weigh(scores)
    elif not write_rows(what, "weights", "softmax", scores, scores, last):
        finish(what, "softmax", [scores, pairs_of(what, "weights", scores, last)], scores)


def _means(what: str, weights: View, v: View, target: View) -> None:
    sizes = (*target.layout.sizes, weights.layout.sizes[-1])
    rows = weights.layout.unsqueeze(-2).expand(sizes)
    columns = v.layout.transpose(-2, -1).unsqueeze(-3).expand(sizes)
    add_products(what, with_layout(weights, rows), with_layout(v, columns), target)
