"""Means, variances and standard deviations, over some or all axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.arguments import Axes, Ints
from dml_vk.array.calls import call
from dml_vk.array.math.elementwise import add, astype, bitwise_and, bitwise_right_shift, multiply
from dml_vk.array.statistics.reductions import (
    call_axes,
    computed_in,
    reduce_into,
    reduced_axes,
    reduced_target,
    sum,
    tensor_of,
    without_reduced,
)
from dml_vk.dtypes import float64
from dml_vk.errors import DTypeError, ErrorsAs, RangeError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.ops.elementwise import cast_elements, compute, converted
from dml_vk.ops.numbers import scalar_words
from dml_vk.ops.parts import as_parts, words_of
from dml_vk.ops.variance import mean_elements, suits_variance, variance_elements
from dml_vk.promotion import float_dtype
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import of_kind, to_number
from dml_vk.tracing.formats import operation


@hinted
def mean(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the means over these axes; the mean of no elements is NaN.

    Integers and bools are added exactly; the quotient, in float64, is rounded to float32.

    >>> import dml_vk
    >>> dml_vk.mean(dml_vk.asarray([True, False, True, True])).item()
    0.75
    >>> dml_vk.mean(dml_vk.asarray([[1.0, 2.0], [3.0, 5.0]]), axis=0).tolist()
    [2.0, 3.5]
    """
    with ErrorsAs("mean"):
        return call(_average, (x,), out, *call_axes("mean", x, axis, keepdims))


@operation(flexible="all")
def _average(
    operands: Sequence[Tensor], out: Tensor | None, axis: int | Ints | None, keepdims: bool
) -> Tensor:
    what = "mean"
    x = tensor_of(what, operands[0], "biufc")
    axes = reduced_axes(what, x, axis)
    target = reduced_target(what, x, axes, keepdims, float_dtype(x.dtype), out)
    count = count_of(x, axes)
    if x.dtype.kind not in "fc":
        total = integer_sum(what, x, axes, keepdims)
        _divide(what, total, count, target)
    elif x.dtype.kind == "c":
        parts = Tensor(as_parts(x)), Tensor(as_parts(target))
        _divided_sum(what, parts[0], axes, count, parts[1], keepdims)
    else:
        _divided_sum(what, x, axes, count, target, keepdims)
    return target


@hinted
def var(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the variances over these axes: the mean squared deviations from the mean.

    Integers and bools are computed in float64, and the result is rounded to float32. Variances of
    complex numbers are real: the squares of both parts are added. The divisor is the number of
    elements minus `correction`, or 0 if that is negative. NumPy's name for it, `ddof`, is accepted
    too.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 2.0], [3.0, 6.0]])
    >>> dml_vk.var(x, axis=0).tolist(), dml_vk.var(x, axis=0, correction=1).tolist()
    ([1.0, 4.0], [2.0, 8.0])
    """
    return _spread("var", x, axis, correction, ddof, keepdims, out)


@hinted
def std(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the standard deviations over these axes: the square roots of `var`.

    >>> import dml_vk
    >>> dml_vk.std(dml_vk.asarray([[1.0, 2.0], [3.0, 6.0]]), axis=0).tolist()
    [1.0, 2.0]
    """
    return _spread("std", x, axis, correction, ddof, keepdims, out)


def count_of(x: Tensor, axes: Ints) -> int:
    """Return the number of elements reduced to each result."""
    return math.prod([x.shape[axis] for axis in axes])


def integer_sum(what: str, x: Tensor, axes: Ints, keepdims: bool) -> Tensor:
    """Return the sums of integers or bools as float64, rounded once."""
    if x.dtype.itemsize < 8:
        return Tensor(converted(what, sum(x, axis=axes, keepdims=keepdims), float64))
    # Sums of 64-bit integers can overflow, those of their words cannot.
    low, high = words_of(x)
    return of_words(*[sum(Tensor(words), axis=axes, keepdims=keepdims) for words in (low, high)])


def of_words(low: Tensor, high: Tensor) -> Tensor:
    """Return low + 2**32 * high as float64, from sums of the words of integers."""
    carried = astype(bitwise_right_shift(low, 32), high.dtype)
    high = astype(add(high, carried), float64)
    return add(multiply(high, 2.0**32), astype(bitwise_and(low, 2**32 - 1), float64))


def _divided_sum(
    what: str, x: Tensor, axes: Ints, by: float, target: Tensor, keepdims: bool
) -> None:
    """Write sums of floats, divided and then rounded to the target's dtype."""
    if suits_variance(x, target):
        size = scalar_words(what, "count", computed_in(x.dtype), by)
        if mean_elements(what, x, without_reduced(target, axes, keepdims), axes, size):
            return
    wide = computed_in(x.dtype)
    sums = target if wide is target.dtype else reduced_target(what, x, axes, keepdims, wide, None)
    reduce_into(what, "sum", x, axes, sums, keepdims)
    _divide(what, sums, by, target)


def _divide(what: str, sums: Tensor, by: float, target: Tensor) -> None:
    words = scalar_words(what, "count", sums.dtype, by)
    _computed_into(what, "divide", [sums, None], sums, target, words)


def _computed_into(
    what: str,
    name: str,
    sources: Sequence[Tensor | None],
    work: Tensor,
    target: Tensor,
    scalars: Ints = (),
) -> None:
    """Apply an operator in the dtype of `place`, which may be overwritten; round to the target."""
    # Kernels of float64 write nothing else.
    is_narrow = work.dtype is float64 and target.dtype is not float64
    to = work if is_narrow else target
    compute(what, OPERATORS[name], sources, to, work.dtype, scalars)
    if is_narrow:
        cast_elements(what, work, target)


def to_correction(what: str, correction: float, ddof: float | None) -> float:
    """Return the correction to subtract from a count, given under either name."""
    if ddof is not None and not (isinstance(correction, float) and correction == 0):
        rule = "correction and ddof must not both be given"
        raise RangeError(what, rule, correction=correction, ddof=ddof)
    name, less = ("correction", correction) if ddof is None else ("ddof", ddof)
    try:
        return float(to_number(what, name, less))
    except OverflowError:
        raise DTypeError(what, f"{name} must be a real number", **{name: less}) from None


def _spread(
    what: str,
    x: Tensor,
    axis: Axes | None,
    correction: float,
    ddof: float | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    less = to_correction(what, correction, ddof)
    return call(_spread_of, (x,), out, what, less, *call_axes(what, x, axis, keepdims))


@operation(flexible="all")
def _spread_of(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    correction: float,
    axis: int | Ints | None,
    keepdims: bool,
) -> Tensor:
    """Compute the variance, or for `std` its square root; they are rounded only at the end."""
    source = tensor_of(what, operands[0], "biufc")
    axes = reduced_axes(what, source, axis)
    count = count_of(source, axes)
    by = count - correction
    target = reduced_target(what, source, axes, keepdims, float_dtype(source.dtype).part, out)
    if suits_variance(source, target):
        numbers = [count, 0.0 if by <= 0 else by]
        wide = computed_in(target.dtype)
        words = [scalar_words(what, "count", wide, number) for number in numbers]
        to = without_reduced(target, axes, keepdims)
        if variance_elements(what, source, to, axes, words[0], words[1], what == "std"):
            return target
    wide = computed_in(target.dtype, source.dtype)
    x, to, summed = of_kind(what, source, wide), target, axes
    if x.dtype.kind == "c":
        # The squares of the parts of a number are terms beside each other.
        x, summed = Tensor(as_parts(x)), (*axes, x.ndim)
        to = target.over(target.layout.unsqueeze(-1)) if keepdims else target
    means = reduced_target(what, x, axes, True, wide, None)
    _divided_sum(what, x, axes, count, means, True)
    squares = x  # integers, which were converted for this
    if source.dtype.kind in "fc":
        squares = tensor_over(what, x.layout.like(), wide, x.device, x.allocation)
    if wide is float64:
        compute(what, OPERATORS["subtract"], [x, means], squares, wide)
        compute(what, OPERATORS["square"], [squares], squares, wide)
    else:
        compute(what, OPERATORS["difference_square"], [x, means], squares, wide)
    root = what == "std"
    variances = reduced_target(what, x, summed, keepdims, wide, None) if root else to
    _divided_sum(what, squares, summed, 0.0 if by <= 0 else by, variances, keepdims)
    if root:
        _computed_into(what, "sqrt", [variances], variances, to)
    return target
