"""Sums of products over dims that two operands share: what products of all kinds come down to."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

from dml_vk.dtypes import DType
from dml_vk.errors import LayoutError, explain
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.operands import check_dtype, of_kinds, result_over, to_tensor, to_tensors, typed
from dml_vk.ops.copy import apart, copied, copy_elements
from dml_vk.ops.elementwise import Typed, compute
from dml_vk.ops.matmul import add_products
from dml_vk.promotion import common_dtype
from dml_vk.strides.order import Ints, row_major
from dml_vk.strides.reshape import view_strides
from dml_vk.tensor import Tensor

Dims = tuple[int | None, ...]


class Factor(NamedTuple):
    """An operand: which of its dims, if any, is each of the result, and each that is summed over.

    Dims of size 1 repeat.
    """

    tensor: Tensor
    kept: Dims
    summed: Dims


def numeric_dtype(what: str, operands: tuple[tuple[str, Any], ...]) -> DType:
    """The dtype of a product of these tensors, by their names in the signature."""
    tensors = to_tensors(what, [to_tensor(what, name, given) for name, given in operands])
    common = common_dtype(what, [tensor.dtype for tensor in tensors])
    check_dtype(what, common, of_kinds("iuf"))
    return common


def contracted(
    what: str,
    a: Factor | None,
    b: Factor,
    layout: Layout,
    summed: Ints,
    dtype: DType,
    out: Any = None,
) -> Tensor:
    """At each index of the layout the sum of the products over dims of the sizes `summed`.

    Terms count along those dims in row-major order. None is an operand of ones.
    """
    target = result_over(what, layout, dtype, b.tensor, out)
    first = None if a is None else _spread(what, a, target, summed)
    second = _spread(what, b, target, summed)
    add_products(what, first, second, Typed(target.strided, dtype))
    return target


def _spread(what: str, factor: Factor, target: Tensor, summed: Ints) -> Typed:
    """An operand over the target's dims, and one more for all that is summed over."""
    strided, sizes = apart(what, factor.tensor.strided, target.strided), target.shape
    over = _over(strided.layout, factor.kept, factor.summed, sizes, summed)
    if over is None:
        # The terms do not lie evenly, as they do where these dims are innermost.
        last = [dim for dim in factor.summed if dim is not None]
        outer = [dim for dim in strided.layout.order if dim not in last]
        own = strided.layout
        order = Layout(own.sizes, own.strides, own.offset, (*outer, *last))
        strided = copied(what, strided.over(order))
        over = _over(strided.layout, factor.kept, factor.summed, sizes, summed)
        assert over is not None
    return Typed(strided.over(over), factor.tensor.dtype)


@functools.lru_cache(maxsize=4096)
def _over(layout: Layout, kept: Dims, folded: Dims, sizes: Ints, summed: Ints) -> Layout | None:
    """`_spread`, or None where the dims that are summed over do not merge."""
    inner = view_strides(summed, _strides(layout, folded, summed), (math.prod(summed),))
    if inner is None:
        return None
    strides = (*_strides(layout, kept, sizes), *inner)
    return Layout((*sizes, math.prod(summed)), strides, layout.offset, row_major(len(strides)))


def _strides(layout: Layout, dims: Dims, sizes: Ints) -> Ints:
    """0 along what an operand lacks, or has once."""
    return tuple(
        [
            0 if dim is None or layout.sizes[dim] != size else layout.strides[dim]
            for dim, size in zip(dims, sizes)
        ]
    )


Label = str | int  # a letter, or a dim that an ellipsis stands for, counted from the right
Labels = tuple[Label, ...]


class Labelled(NamedTuple):
    tensor: Tensor
    labels: Labels  # one a dim, each once

    def factor(self, kept: Labels, summed: Labels) -> Factor:
        places: dict[Label, int] = {label: dim for dim, label in enumerate(self.labels)}
        return Factor(self.tensor, tuple(map(places.get, kept)), tuple(map(places.get, summed)))


def einsum(subscripts: str, /, *operands: Tensor, out: Tensor | None = None) -> Tensor:
    """Products of operands, summed over what the result has no letter for, as `numpy.einsum`.

    Operands are taken from left to right, two at a time, each time summing over all that is needed
    no more. A letter that an operand has twice is its diagonal. The result is new and row-major.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> dml_vk.einsum("ij,jk->ki", x, x).tolist()
    [[7, 15], [10, 22]]
    >>> dml_vk.einsum("ii", x).tolist()
    5
    """
    what = "einsum"
    if not isinstance(subscripts, str):
        must = 'subscripts must be a string such as "ij,jk->ik", operands come after it'
        raise LayoutError(explain(what, must, subscripts=type(subscripts).__name__))
    if not operands:
        raise LayoutError(explain(what, "there must be an operand", subscripts=subscripts))
    common = numeric_dtype(what, tuple([(f"operands[{k}]", x) for k, x in enumerate(operands)]))
    given, result = parse(subscripts, tuple([operand.layout.rank for operand in operands]))
    terms = [_diagonals(x, labels, subscripts) for x, labels in zip(operands, given)]
    sizes = _label_sizes(terms, subscripts)
    terms = [_less_repeated(term, sizes) for term in terms]
    first = terms[0]
    for at, second in enumerate(terms[1:], 2):
        later = {*result, *[label for term in terms[at:] for label in term.labels]}
        first = _summed(first, {*second.labels, *later}, sizes, common)
        second = _summed(second, {*first.labels, *later}, sizes, common)
        shared = [label for label in first.labels if label in second.labels]
        summed = tuple([label for label in shared if label not in later])
        kept = tuple(dict.fromkeys([*first.labels, *second.labels]))
        kept = tuple([label for label in kept if label not in summed])
        last = at == len(terms)
        kept = result if last else kept
        first = _joined(first, second, kept, summed, sizes, common, out if last else None)
    if len(terms) == 1:
        return _of_one(first, result, sizes, common, out)
    return first.tensor


def _joined(
    a: Labelled,
    b: Labelled,
    kept: Labels,
    summed: Labels,
    sizes: dict[Label, int],
    dtype: DType,
    out: Any,
) -> Labelled:
    layout = Layout([sizes[label] for label in kept])
    if summed:
        depths = tuple([sizes[label] for label in summed])
        factors = a.factor(kept, summed), b.factor(kept, summed)
        return Labelled(contracted("einsum", *factors, layout, depths, dtype, out), kept)
    target = result_over("einsum", layout, dtype, a.tensor, out)
    sources = [_arranged(one, kept, layout.sizes) for one in (a, b)]
    compute("einsum", OPERATORS["multiply"], sources, typed(target), dtype)
    return Labelled(target, kept)


def _of_one(
    one: Labelled, result: Labels, sizes: dict[Label, int], dtype: DType, out: Any
) -> Tensor:
    """The result of one operand: a sum, or a copy in another order."""
    layout = Layout([sizes[label] for label in result])
    summed = tuple([label for label in one.labels if label not in result])
    if summed:
        depths = tuple([sizes[label] for label in summed])
        factor = one.factor(result, summed)
        return contracted("einsum", None, factor, layout, depths, dtype, out)
    target = result_over("einsum", layout, dtype, one.tensor, out)
    copy_elements("einsum", _arranged(one, result, layout.sizes).strided, target.strided)
    return target


def _summed(one: Labelled, needed: set[Label], sizes: dict[Label, int], dtype: DType) -> Labelled:
    """Summed over what nobody else needs."""
    kept = tuple([label for label in one.labels if label in needed])
    if kept == one.labels:
        return one
    return Labelled(_of_one(one, kept, sizes, dtype, None), kept)


def _arranged(one: Labelled, kept: Labels, sizes: Ints) -> Typed:
    """The operand over these labels, repeated along those that it lacks."""
    own = one.tensor.layout
    strides = _strides(own, one.factor(kept, ()).kept, sizes)
    layout = Layout(sizes, strides, own.offset, row_major(len(sizes)))
    return Typed(one.tensor.strided.over(layout), one.tensor.dtype)


@functools.lru_cache(maxsize=1024)
def parse(subscripts: str, ranks: Ints) -> tuple[tuple[Labels, ...], Labels]:
    """(the labels of each operand's dims, those of the result's).

    >>> from dml_vk.contractions import parse
    >>> parse("...ij,jk", (3, 2))
    (((-1, 'i', 'j'), ('j', 'k')), (-1, 'i', 'k'))
    """
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(ranks):
        must = f"there must be subscripts for {len(ranks)} operands"
        raise LayoutError(explain("einsum", must, subscripts=subscripts))
    given = tuple([_labels(part, rank, subscripts) for part, rank in zip(parts, ranks)])
    used = [label for labels in given for label in labels]
    dots = tuple(range(-max([len(_dots(labels)) for labels in given]), 0))
    letters = sorted([label for label in used if isinstance(label, str)])
    if not arrow:
        return given, (*dots, *[label for label in letters if letters.count(label) == 1])
    result = _labels(right, len(dots) + len(right.replace("...", "")), subscripts)
    if len(set(result)) < len(result) or not set(result) <= {*letters, *dots}:
        must = "the result's letters must each be there once, and in an operand"
        raise LayoutError(explain("einsum", must, subscripts=subscripts))
    return given, result


def _labels(part: str, rank: int, subscripts: str) -> Labels:
    """Those of one operand, or of the result."""
    before, dots, after = part.partition("...")
    letters = before + after
    if not ((letters.isascii() and letters.isalpha()) or not letters):
        must = "subscripts must be letters, at most one ellipsis an operand, commas and one arrow"
        raise LayoutError(explain("einsum", must, subscripts=subscripts))
    count = rank - len(letters)
    if count < 0 or (count > 0 and not dots):
        must = "there must be a letter for each dim, or an ellipsis for those without"
        raise LayoutError(explain("einsum", must, subscripts=subscripts, operand=part, rank=rank))
    return (*before, *range(-count, 0), *after)


def _dots(labels: Labels) -> list[int]:
    return [label for label in labels if isinstance(label, int)]


def _diagonals(tensor: Tensor, labels: Labels, subscripts: str) -> Labelled:
    """A view in which each label is one dim: where it was several, their diagonal."""
    if len(set(labels)) == len(labels):
        return Labelled(tensor, labels)
    own = tensor.layout
    sizes: dict[Label, int] = {}
    strides: dict[Label, int] = {}
    for label, size, stride in zip(labels, own.sizes, own.strides):
        if sizes.setdefault(label, size) != size:
            must = f"dims of one operand that share the letter {label!r} must have one size"
            raise LayoutError(explain("einsum", must, subscripts=subscripts, sizes=own.sizes))
        strides[label] = strides.get(label, 0) + stride
    layout = Layout(sizes.values(), strides.values(), own.offset, row_major(len(sizes)))
    return Labelled(tensor.over(layout), tuple(sizes))


def _label_sizes(terms: list[Labelled], subscripts: str) -> dict[Label, int]:
    sizes: dict[Label, int] = {}
    for tensor, labels in terms:
        for label, size in zip(labels, tensor.shape):
            if sizes.setdefault(label, size) == 1:
                sizes[label] = size
            if size not in (1, sizes[label]):
                called = f"the letter {label!r}" if isinstance(label, str) else "the ellipsis"
                must = f"sizes of {called} must agree, or be 1"
                shapes = tuple([term.tensor.shape for term in terms])
                raise LayoutError(explain("einsum", must, subscripts=subscripts, shapes=shapes))
    return sizes


def _less_repeated(term: Labelled, sizes: dict[Label, int]) -> Labelled:
    """Without the dims of size 1 that others have more of."""
    kept = [k for k, label in enumerate(term.labels) if term.tensor.shape[k] == sizes[label]]
    if len(kept) == len(term.labels):
        return term
    own = term.tensor.layout
    layout = Layout([own.sizes[k] for k in kept], [own.strides[k] for k in kept], own.offset)
    return Labelled(term.tensor.over(layout), tuple([term.labels[k] for k in kept]))
