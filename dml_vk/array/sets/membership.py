"""NumPy's functions of sets: which elements are in others, and unions and differences.

Sets are sorted vectors of distinct values, as by `unique`. Except for `isin` and `in1d`, the number
of results is only known to the device, so these functions wait for it.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, cast

from dml_vk.arguments import to_bool
from dml_vk.array.host_operands import number_as_tensor, upload_operands
from dml_vk.array.indexing.take import elements_at
from dml_vk.array.manipulation.shapes import concat, reshape
from dml_vk.array.math.elementwise import astype, equal, not_equal
from dml_vk.array.sets.distinct import unique, value_numbers
from dml_vk.array.sorting.searching import nonzero, searchsorted
from dml_vk.array.sorting.sorts import sort
from dml_vk.dtypes import bool_, uint8
from dml_vk.errors import ErrorsAs
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand, plain, result_over, to_tensor, to_tensors


def isin(
    element: Operand,
    test_elements: Operand,
    /,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return which elements are among the test elements, or with `invert` which are not.

    Both are compared in their common dtype, and one of them may be a number. NaN is never found.
    `assume_unique` has no effect.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> dml_vk.isin(x, dml_vk.asarray([4, 1, 9])).tolist()
    [[True, False], [False, True]]
    """
    return _member("isin", element, test_elements, assume_unique, invert, out)


def in1d(
    ar1: Tensor,
    ar2: Tensor,
    /,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return what `isin` does, as one dim in row-major order.

    >>> import dml_vk
    >>> dml_vk.in1d(dml_vk.asarray([[1, 2], [3, 4]]), dml_vk.asarray([4, 1, 9])).tolist()
    [True, False, False, True]
    """
    ar1, ar2 = upload_operands("in1d", ar1, ar2)
    with ErrorsAs("in1d"):
        ar1 = reshape(ar1, -1)
    return _member("in1d", ar1, ar2, assume_unique, invert, out)


def union1d(ar1: Tensor, ar2: Tensor, /) -> Tensor:
    """Return the distinct values of both, sorted.

    >>> import dml_vk
    >>> dml_vk.union1d(dml_vk.asarray([3, 1, 1]), dml_vk.asarray([2, 3])).tolist()
    [1, 2, 3]
    """
    with ErrorsAs("union1d"):
        distinct: Any = unique(concat(_flat("union1d", ar1, ar2)))
    values: Tensor = distinct
    return values


def intersect1d(
    ar1: Tensor, ar2: Tensor, /, assume_unique: bool = False, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor, Tensor]:
    """Return the distinct values that are in both, sorted; NaN is in none.

    With `return_indices`, also return the int64 indexes of their first occurrences in both, in
    row-major order. `assume_unique` has no effect.

    >>> import dml_vk
    >>> x, y = dml_vk.asarray([3, 1, 2, 1]), dml_vk.asarray([2, 3, 5])
    >>> found, inx, iny = dml_vk.intersect1d(x, y, return_indices=True)
    >>> found.tolist(), inx.tolist(), iny.tolist()
    ([2, 3], [2, 0], [0, 1])
    """
    what = "intersect1d"
    to_bool(what, "assume_unique", assume_unique)
    asked = to_bool(what, "return_indices", return_indices)
    with ErrorsAs(what):
        first, second = _flat(what, ar1, ar2)
        values: Tensor
        values, index = unique(first, return_index=True)
        inside = nonzero(isin(values, second))[0]
        common = elements_at(values, inside)
        if not asked:
            return common
        others, places = unique(second, return_index=True)
        also = nonzero(isin(others, first))[0]
        return common, elements_at(index, inside), elements_at(places, also)


def setdiff1d(ar1: Tensor, ar2: Tensor, /, assume_unique: bool = False) -> Tensor:
    """Return the distinct values of ar1 that are not in ar2, sorted and in the dtype of ar1.

    With `assume_unique`, they are in the order of ar1, and are not checked to be distinct.

    >>> import dml_vk
    >>> dml_vk.setdiff1d(dml_vk.asarray([3, 1, 2, 1]), dml_vk.asarray([2])).tolist()
    [1, 3]
    """
    what = "setdiff1d"
    is_unique = to_bool(what, "assume_unique", assume_unique)
    with ErrorsAs(what):
        ar1, ar2 = upload_operands(what, ar1, ar2)
        first = reshape(ar1, -1)
        values: Any = first if is_unique else unique(first)
        return elements_at(values, nonzero(isin(values, ar2, invert=True))[0])


def setxor1d(ar1: Tensor, ar2: Tensor, /, assume_unique: bool = False) -> Tensor:
    """Return the distinct values that are in only one of both, sorted.

    `assume_unique` has no effect.

    >>> import dml_vk
    >>> dml_vk.setxor1d(dml_vk.asarray([3, 1, 1]), dml_vk.asarray([2, 3])).tolist()
    [1, 2]
    """
    what = "setxor1d"
    to_bool(what, "assume_unique", assume_unique)
    with ErrorsAs(what):
        first, second = _flat(what, ar1, ar2)
        alone = [isin(first, second, invert=True), isin(second, first, invert=True)]
        values = unique(elements_at(concat([first, second]), nonzero(concat(alone))[0]))
        return cast(Tensor, values)


def _flat(what: str, ar1: Tensor, ar2: Tensor) -> list[Tensor]:
    """Return both as vectors of their common dtype."""
    ar1, ar2 = upload_operands(what, ar1, ar2)
    tensors = to_tensors(what, [to_tensor(what, "ar1", ar1), to_tensor(what, "ar2", ar2)])
    dtype = common_dtype(what, [x.dtype for x in tensors])
    return [astype(reshape(x, -1), dtype, copy=False) for x in tensors]


def _with_numbers(what: str, operands: Sequence[Operand]) -> list[Operand]:
    """Convert numbers to 0-D tensors, if there is a tensor among the operands."""
    near = next((operand for operand in operands if isinstance(operand, Tensor)), None)
    if near is None:
        return list(operands)
    return [
        number_as_tensor(what, operand, near)
        if isinstance(plain(operand), numbers.Number)
        else operand
        for operand in operands
    ]


def _member(
    what: str,
    element: Operand,
    among: Operand,
    assume_unique: bool,
    invert: bool,
    out: Tensor | None,
) -> Tensor:
    element, among = _with_numbers(what, upload_operands(what, element, among))
    x = to_tensor(what, "element", element)
    among = to_tensor(what, "test_elements", among)
    to_tensors(what, [x, among])
    to_bool(what, "assume_unique", assume_unique)
    inverted = to_bool(what, "invert", invert)
    dtype = common_dtype(what, [x.dtype, among.dtype])
    dtype = uint8 if dtype is bool_ else dtype
    with ErrorsAs(what):
        if dtype.kind == "c":
            # There is no search among complex numbers, but for the ranks of all of them.
            target = result_over(what, x.layout.like(), bool_, x, out)
            ranks = value_numbers(what, concat(_flat(what, x, among)))
            own = reshape(ranks[: x.size], x.shape)
            return _member(what, own, ranks[x.size :], assume_unique, inverted, target)
        ordered = sort(astype(reshape(among, -1), dtype, copy=False))
        if not ordered.size:
            target = result_over(what, x.layout.like(), bool_, x, out)
            target[...] = inverted
            return target
        elements = astype(x, dtype, copy=False)
        # All places are before the end, unless they are behind all others.
        index = searchsorted(ordered[:-1], elements)
        nearest = reshape(elements_at(ordered, reshape(index, -1)), x.shape)
        return (not_equal if inverted else equal)(elements, nearest, out=out)
