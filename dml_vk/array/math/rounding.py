"""Rounding to decimal places."""

from __future__ import annotations

import numpy as np

from dml_vk.arguments import to_int
from dml_vk.array.math import elementwise
from dml_vk.dtypes import int64, uint64
from dml_vk.errors import ErrorsAs, RangeError
from dml_vk.ops.parts import as_parts
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over, to_tensor

MOST_DIGITS = 308  # the largest exponent of 10 that is a float
MOST_ZEROS = 18  # of the largest power of 10 that is an int64


def around(x: Tensor, /, decimals: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Round to decimal places, to nearest with ties to even: scale, `round` and scale back.

    Of complex numbers each part is rounded. Integers are rounded exactly to tens, hundreds and so
    on by negative places, and wrap if the result is beyond their range.

    >>> import dml_vk
    >>> dml_vk.around(dml_vk.asarray([1.25, -3.987]), 1).tolist()
    [1.2000000476837158, -4.0]
    """
    x = to_tensor("around", "x", x)
    return rounded("around", x, "decimals", to_int("around", "decimals", decimals), out)


def fix(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Round towards zero, as `trunc` does.

    >>> import dml_vk
    >>> dml_vk.fix(dml_vk.asarray([1.75, -1.75])).tolist()
    [1.0, -1.0]
    """
    with ErrorsAs("fix"):
        return elementwise.trunc(x, out=out)


def rounded(what: str, x: Tensor, name: str, digits: int, out: Tensor | None = None) -> Tensor:
    """Round to decimal places, whose number is the argument of this name."""
    got: dict[str, object] = {name: digits}
    with ErrorsAs(what):
        if x.dtype.kind == "c" and digits:
            target = result_over(what, x.layout.like(), x.dtype, x, out)
            rounded(what, Tensor(as_parts(x)), name, digits, Tensor(as_parts(target)))
            return target
        if x.dtype.kind in "iu" and digits < 0:
            return _to_tens(x, -digits, out)
        if x.dtype.kind != "f" or not digits:
            return elementwise.round(x, out=out)
        least, most = -MOST_DIGITS, MOST_DIGITS
        if not least <= digits <= most:
            rule = f"{name} must be from {least} to {most}"
            raise RangeError(what, rule, **got)
        scale = 10.0 ** abs(digits)
        if digits > 0:
            result = elementwise.divide(elementwise.round(elementwise.multiply(x, scale)), scale)
        else:
            # If the scale is out of range, x / scale rounds to 0, and any finite factor will do.
            back = min(scale, float(np.finfo(x.dtype.numpy_name).max))
            result = elementwise.multiply(elementwise.round(elementwise.divide(x, scale)), back)
        # A number that overflows when scaled has no such digits, and is returned unchanged.
        return elementwise.where(elementwise.isfinite(result), result, x, out=out)


def _to_tens(x: Tensor, zeros: int, out: Tensor | None) -> Tensor:
    """Round integers to multiples of a power of ten, ties to even multiples."""
    if zeros > MOST_ZEROS:
        return elementwise.multiply(x, 0, out=out)
    wide, scale = uint64 if x.dtype is uint64 else int64, 10**zeros
    wider = elementwise.astype(x, wide, copy=False)
    below = elementwise.floor_divide(wider, scale)
    rest = elementwise.subtract(wider, elementwise.multiply(below, scale))
    to_next = elementwise.subtract(scale, rest)
    is_tie = elementwise.equal(rest, to_next)
    is_odd = elementwise.equal(elementwise.bitwise_and(below, 1), 1)
    up = elementwise.logical_or(
        elementwise.greater(rest, to_next), elementwise.logical_and(is_tie, is_odd)
    )
    result = elementwise.multiply(elementwise.add(below, elementwise.astype(up, wide)), scale)
    return elementwise.astype(result, x.dtype, out=out)
