"""Sums of products over shared dims, on which all kinds of products are based."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.array.calls import call
from dml_vk.array.host_operands import upload_operands
from dml_vk.dtypes import DType, int32
from dml_vk.errors import LayoutError
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.ops.copy import copied, copy_elements, copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements, compute, converted
from dml_vk.ops.matmul import add_products
from dml_vk.ops.parts import as_parts, imag_part, real_part
from dml_vk.ops.view import View, temporary_like, with_layout
from dml_vk.promotion import common_dtype
from dml_vk.strides.order import row_major
from dml_vk.strides.reshape import view_strides
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import (
    check_dtype,
    of_kind,
    of_kinds,
    result_over,
    to_tensor,
    to_tensors,
)

Dims = tuple[int | None, ...]


class Factor(NamedTuple):
    """An operand, with its dim, if any, for each dim of the result and each summed dim.

    Dims of size 1 broadcast.
    """

    tensor: Tensor
    free: Dims
    summed: Dims


def numeric_dtype(
    what: str, operands: tuple[tuple[str, object], ...], kinds: str = "biufc"
) -> DType:
    """Return the dtype of a product of these tensors, given with their names in the signature.

    As in NumPy, a product of bools is true where both are, and a sum where any is.
    """
    tensors = to_tensors(what, [to_tensor(what, name, operand) for name, operand in operands])
    common = common_dtype(what, [tensor.dtype for tensor in tensors])
    check_dtype(what, common, of_kinds(kinds))
    return common


def contracted(
    what: str,
    a: Factor | None,
    b: Factor,
    layout: Layout,
    summed: Ints,
    dtype: DType,
    out: Tensor | None = None,
) -> Tensor:
    """Return, for each index of the layout, the sum of products over dims of the sizes `summed`.

    Terms are in row-major order of those dims. None is an operand of ones.
    """
    target = result_over(what, layout, dtype, b.tensor, out)
    if dtype.kind == "b":  # true where the number of true terms is not 0
        left, right = None if a is None else _as_integers(what, a), _as_integers(what, b)
        cast_elements(what, contracted(what, left, right, layout, summed, int32), target)
        return target
    if dtype.kind == "c":
        _contract_parts(what, a, b, target, summed)
        return target
    first = None if a is None else spread(what, a, target, summed)
    second = spread(what, b, target, summed)
    add_products(what, first, second, target)
    return target


def _as_integers(what: str, factor: Factor) -> Factor:
    return factor._replace(tensor=Tensor(converted(what, factor.tensor, int32)))


def _contract_parts(what: str, a: Factor | None, b: Factor, target: Tensor, summed: Ints) -> None:
    """Contract complex operands as real ones whose last summed dim is that of the two parts.

    The real part is the contraction of a with the conjugate of b; the imaginary part, that of a
    with b whose parts are swapped.
    """
    second = _complex(what, b.tensor, target)
    if a is None:
        for of, to in ((real_part, real_part(target)), (imag_part, imag_part(target))):
            part = b._replace(tensor=Tensor(of(second)))
            add_products(what, None, spread(what, part, Tensor(to), summed), to)
        return
    first = _with_parts(a, _complex(what, a.tensor, target))
    conjugate = temporary_like(what, second, second.dtype)
    compute(what, OPERATORS["conj"], [second], conjugate, second.dtype)
    exchanged = temporary_like(what, second, second.dtype)
    copy_elements(what, imag_part(second), real_part(exchanged))
    copy_elements(what, real_part(second), imag_part(exchanged))
    for turned, to in ((conjugate, real_part(target)), (exchanged, imag_part(target))):
        both = first, _with_parts(b, turned)
        left, right = [spread(what, factor, Tensor(to), (*summed, 2)) for factor in both]
        add_products(what, left, right, to)


def _complex(what: str, x: Tensor, target: Tensor) -> View:
    """Return a tensor as complex elements that share no memory with the target."""
    return copy_if_overlapping(what, converted(what, x, target.dtype), target)


def _with_parts(factor: Factor, view: View) -> Factor:
    """Return a factor of the parts of complex elements, which are summed too."""
    return Factor(Tensor(as_parts(view)), factor.free, (*factor.summed, view.layout.rank))


def spread(what: str, factor: Factor, target: Tensor, summed: Ints) -> View:
    """View an operand with the target's dims, and one more for all summed dims."""
    source = of_kind(what, factor.tensor, target.dtype)
    view, sizes = copy_if_overlapping(what, source, target), target.shape
    over = _factor_layout(view.layout, factor.free, factor.summed, sizes, summed)
    if over is None:
        # The summed dims do not merge: copy with these dims innermost, where they do.
        last = [dim for dim in factor.summed if dim is not None]
        outer = [dim for dim in view.layout.order if dim not in last]
        own = view.layout
        order = Layout(own.sizes, own.strides, own.offset, (*outer, *last))
        view = copied(what, with_layout(view, order))
        over = _factor_layout(view.layout, factor.free, factor.summed, sizes, summed)
        assert over is not None
    return with_layout(view, over)


@functools.lru_cache(maxsize=4096)
def _factor_layout(
    layout: Layout, free: Dims, folded: Dims, sizes: Ints, summed: Ints
) -> Layout | None:
    """Return the layout for `spread`, or None if the summed dims do not merge."""
    inner = view_strides(summed, _strides(layout, folded, summed), (math.prod(summed),))
    if inner is None:
        return None
    strides = (*_strides(layout, free, sizes), *inner)
    return Layout((*sizes, math.prod(summed)), strides, layout.offset, row_major(len(strides)))


def _strides(layout: Layout, dims: Dims, sizes: Ints) -> Ints:
    """Return strides over these sizes: 0 along dims that an operand lacks or broadcasts."""
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
    labels: Labels  # one for each dim, all distinct

    def factor(self, free: Labels, summed: Labels) -> Factor:
        places: dict[Label, int] = {label: dim for dim, label in enumerate(self.labels)}
        return Factor(self.tensor, tuple(map(places.get, free)), tuple(map(places.get, summed)))


def einsum(
    subscripts: str, /, *operands: Tensor, optimize: object = False, out: Tensor | None = None
) -> Tensor:
    """Multiply operands and sum over the labels that the result does not have, as `numpy.einsum`.

    Operands are contracted from left to right, two at a time; each contraction sums over all labels
    that are not needed later. A label that an operand has twice is its diagonal. The result is new
    and row-major. `optimize` is accepted for NumPy's sake and has no effect, since the order of
    sums is stated.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> dml_vk.einsum("ij,jk->ki", x, x).tolist()
    [[7, 15], [10, 22]]
    >>> dml_vk.einsum("ii", x).tolist()
    5
    """
    what = "einsum"
    if not isinstance(subscripts, str):
        rule = 'subscripts must be a string such as "ij,jk->ik", before the operands'
        raise LayoutError(what, rule, subscripts=type(subscripts).__name__)
    if not operands:
        raise LayoutError(what, "at least one operand is needed", subscripts=subscripts)
    return call(_einsum, upload_operands(what, *operands), out, str(subscripts))


def _einsum(operands: Sequence[Tensor], out: Tensor | None, subscripts: str) -> Tensor:
    what = "einsum"
    common = numeric_dtype(what, tuple([(f"operands[{k}]", x) for k, x in enumerate(operands)]))
    labels_of, result = parse(subscripts, tuple([operand.layout.rank for operand in operands]))
    terms = [_diagonals(x, labels, subscripts) for x, labels in zip(operands, labels_of)]
    sizes = _label_sizes(terms, subscripts)
    terms = [_without_broadcast_dims(term, sizes) for term in terms]
    first = terms[0]
    for at, second in enumerate(terms[1:], 2):
        later = {*result, *[label for term in terms[at:] for label in term.labels]}
        first = _sum_unneeded(first, {*second.labels, *later}, sizes, common)
        second = _sum_unneeded(second, {*first.labels, *later}, sizes, common)
        shared = [label for label in first.labels if label in second.labels]
        summed = tuple([label for label in shared if label not in later])
        free = tuple(dict.fromkeys([*first.labels, *second.labels]))
        free = tuple([label for label in free if label not in summed])
        last = at == len(terms)
        free = result if last else free
        first = _contract_pair(first, second, free, summed, sizes, common, out if last else None)
    if len(terms) == 1:
        return _reduce_operand(first, result, sizes, common, out)
    return first.tensor


def _contract_pair(
    a: Labelled,
    b: Labelled,
    free: Labels,
    summed: Labels,
    sizes: dict[Label, int],
    dtype: DType,
    out: Tensor | None,
) -> Labelled:
    layout = Layout([sizes[label] for label in free])
    if summed:
        depths = tuple([sizes[label] for label in summed])
        factors = a.factor(free, summed), b.factor(free, summed)
        return Labelled(contracted("einsum", *factors, layout, depths, dtype, out), free)
    target = result_over("einsum", layout, dtype, a.tensor, out)
    operands = [term._replace(tensor=of_kind("einsum", term.tensor, dtype)) for term in (a, b)]
    sources = [_aligned(term, free, layout.sizes) for term in operands]
    product = OPERATORS["logical_and" if dtype.kind == "b" else "multiply"]
    compute("einsum", product, sources, target, dtype)
    return Labelled(target, free)


def _reduce_operand(
    term: Labelled, result: Labels, sizes: dict[Label, int], dtype: DType, out: Tensor | None
) -> Tensor:
    """Return the result of one operand: a sum, or a permuted copy."""
    layout = Layout([sizes[label] for label in result])
    summed = tuple([label for label in term.labels if label not in result])
    if summed:
        depths = tuple([sizes[label] for label in summed])
        factor = term.factor(result, summed)
        return contracted("einsum", None, factor, layout, depths, dtype, out)
    target = result_over("einsum", layout, dtype, term.tensor, out)
    copy_elements("einsum", _aligned(term, result, layout.sizes), target)
    return target


def _sum_unneeded(
    term: Labelled, needed: set[Label], sizes: dict[Label, int], dtype: DType
) -> Labelled:
    """Sum over the labels that are not needed later."""
    free = tuple([label for label in term.labels if label in needed])
    if free == term.labels:
        return term
    return Labelled(_reduce_operand(term, free, sizes, dtype, None), free)


def _aligned(term: Labelled, free: Labels, sizes: Ints) -> View:
    """View the operand with dims for these labels, broadcast along those that it lacks."""
    own = term.tensor.layout
    strides = _strides(own, term.factor(free, ()).free, sizes)
    layout = Layout(sizes, strides, own.offset, row_major(len(sizes)))
    return with_layout(term.tensor, layout)


@functools.lru_cache(maxsize=1024)
def parse(subscripts: str, ranks: Ints) -> tuple[tuple[Labels, ...], Labels]:
    """Return (the labels of each operand's dims, those of the result's dims).

    >>> from dml_vk.array.products.einsum import parse
    >>> parse("...ij,jk", (3, 2))
    (((-1, 'i', 'j'), ('j', 'k')), (-1, 'i', 'k'))
    """
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(ranks):
        rule = f"subscripts must describe {len(ranks)} operands"
        raise LayoutError("einsum", rule, subscripts=subscripts)
    operand_labels = tuple([_labels(part, rank, subscripts) for part, rank in zip(parts, ranks)])
    used = [label for labels in operand_labels for label in labels]
    dots = tuple(range(-max([len(_dots(labels)) for labels in operand_labels]), 0))
    letters = sorted([label for label in used if isinstance(label, str)])
    if not arrow:
        return operand_labels, (*dots, *[label for label in letters if letters.count(label) == 1])
    result = _labels(right, len(dots) + len(right.replace("...", "")), subscripts)
    if len(set(result)) < len(result) or not set(result) <= {*letters, *dots}:
        rule = "letters of the result must occur once there, and in an operand"
        raise LayoutError("einsum", rule, subscripts=subscripts)
    return operand_labels, result


def _labels(part: str, rank: int, subscripts: str) -> Labels:
    """Return the labels of one operand, or of the result."""
    before, dots, after = part.partition("...")
    letters = before + after
    if not ((letters.isascii() and letters.isalpha()) or not letters):
        rule = "subscripts may contain letters, commas, one -> and one ... per operand"
        raise LayoutError("einsum", rule, subscripts=subscripts)
    count = rank - len(letters)
    if count < 0 or (count > 0 and not dots):
        rule = "subscripts need one letter per dim, or ... for the rest"
        raise LayoutError("einsum", rule, subscripts=subscripts, operand=part, rank=rank)
    return (*before, *range(-count, 0), *after)


def _dots(labels: Labels) -> list[int]:
    return [label for label in labels if isinstance(label, int)]


def _diagonals(tensor: Tensor, labels: Labels, subscripts: str) -> Labelled:
    """View an operand with one dim for each label: repeated labels are diagonals."""
    if len(set(labels)) == len(labels):
        return Labelled(tensor, labels)
    own = tensor.layout
    sizes: dict[Label, int] = {}
    strides: dict[Label, int] = {}
    for label, size, stride in zip(labels, own.sizes, own.strides):
        if sizes.setdefault(label, size) != size:
            rule = f"dims of one operand that share the letter {label!r} must have the same size"
            raise LayoutError("einsum", rule, subscripts=subscripts, sizes=own.sizes)
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
                rule = f"sizes of {called} must agree or be 1"
                shapes = tuple([term.tensor.shape for term in terms])
                raise LayoutError("einsum", rule, subscripts=subscripts, shapes=shapes)
    return sizes


def _without_broadcast_dims(term: Labelled, sizes: dict[Label, int]) -> Labelled:
    """Drop the dims of size 1 that broadcast against other operands."""
    dims = [k for k, label in enumerate(term.labels) if term.tensor.shape[k] == sizes[label]]
    if len(dims) == len(term.labels):
        return term
    own = term.tensor.layout
    layout = Layout([own.sizes[k] for k in dims], [own.strides[k] for k in dims], own.offset)
    return Labelled(term.tensor.over(layout), tuple([term.labels[k] for k in dims]))
