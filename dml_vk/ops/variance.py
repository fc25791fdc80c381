"""Means, variances and standard deviations by few launches, where workgroups reduce.

Their bits are those of the operations one after the other: a sum divided by the count, the sum of
the squares of differences from that mean, divided, and its root. A workgroup that has all leaves of
a result reads them twice, of which the second time is from a cache; else means are in memory. Both
parts of complex numbers have a mean, and their squares are terms beside each other.
"""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.dtypes import complex64, complex128, float16, float32, float64
from dml_vk.kernels.plan.passes import Pass, Ties, next_pass, work_of
from dml_vk.kernels.plan.reduce import Reducer, plan_pass, reducer_of
from dml_vk.kernels.plan.reduce_kernels import (
    ELEMENTS,
    FROM_MEANS,
    FROM_OWN_MEAN,
    QUOTIENT,
    ROOT,
    SUM,
    VARIANCES,
)
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.parts import as_parts
from dml_vk.ops.view import View, access, operand, temporary

# Dtypes of what is reduced, in which real numbers are computed, and of what may be written.
_WIDE = {
    **dict.fromkeys((float16, float32, complex64), float32),
    **dict.fromkeys((float64, complex128), float64),
}
_WRITTEN = {float32: (float16, float32), float64: (float64,)}


def suits_variance(source: View, target: View) -> bool:
    """Whether `mean_elements` and `variance_elements` may be quicker than operations one by one."""
    profile, present = target.device.profile, source.layout.numel and target.layout.numel
    wide = _WIDE.get(source.dtype)
    return bool(profile.coalesces and present and wide and target.dtype in _WRITTEN[wide])


def mean_elements(what: str, source: View, target: View, dims: Ints, size: Ints) -> bool:
    """Write sums of floats over `dims` divided by the float with the words `size`.

    False, with nothing written, if they have too many dims for a kernel.
    """
    source = copy_if_overlapping(what, source, target)
    return _in_passes(what, source, target, dims, None, (ELEMENTS, QUOTIENT), (size, size))


def variance_elements(
    what: str, source: View, target: View, dims: Ints, size: Ints, divisor: Ints, root: bool
) -> bool:
    """Write variances, or their roots; the means are sums divided by `size`. Otherwise alike."""
    source, makes = copy_if_overlapping(what, source, target), ROOT if root else QUOTIENT
    numbers = size, divisor
    if _next(source, target, dims).rest is None:
        return _in_passes(what, source, target, dims, None, (FROM_OWN_MEAN, makes), numbers)
    is_complex = source.dtype.kind == "c"
    dtype = source.dtype if is_complex else _WIDE[source.dtype]
    means = temporary(what, Layout.packed(target.layout.sizes), dtype, target)
    parts = (as_parts(source), as_parts(means)) if is_complex else (source, means)
    return mean_elements(what, *parts, dims, size) and _in_passes(
        what, source, target, dims, means, (FROM_MEANS, makes), numbers
    )


def _next(source: View, target: View, dims: Ints) -> Pass:
    work = work_of(source.layout.sizes, source.layout.strides, dims, Ties.TREE)
    nbytes = source.dtype.itemsize, _WIDE[source.dtype].itemsize
    return next_pass(work, Ties.TREE, *nbytes, target.device.profile)


def _in_passes(
    what: str,
    source: View,
    target: View,
    dims: Ints,
    means: View | None,
    how: Ints,
    numbers: tuple[Ints, Ints],
) -> bool:
    """Reduce pass by pass: `how` has what the first one adds, and what the last one makes."""
    pass_, (squares, makes), wide = _next(source, target, dims), how, _WIDE[source.dtype]
    while True:
        to, strides = target, target.layout.strides
        if pass_.rest is not None:
            strides = pass_.out_strides
            to = temporary(what, Layout(pass_.sizes, strides), wide, target)
        kind = VARIANCES[wide.itemsize // 4, source.dtype.kind == "c"]
        reducer = Reducer(kind, 0, kind, Ties.TREE, (squares, SUM), numbers)
        if pass_.rest is None:
            reducer = reducer._replace(constants=(squares, makes))
        elif squares == ELEMENTS:
            reducer = reducer_of("sum", wide)
        if not _launch(reducer, pass_, source, means, to, strides):
            return False
        if pass_.rest is None:
            return True
        source, means, squares = to, None, ELEMENTS
        profile = target.device.profile
        pass_ = next_pass(pass_.rest, Ties.TREE, *[wide.itemsize] * 2, profile)


def _launch(
    reducer: Reducer, pass_: Pass, source: View, means: View | None, target: View, strides: Ints
) -> bool:
    operands = [operand(source, pass_.strides)]
    accesses = [access(source, False)]
    if reducer.numbers:
        over = means.layout.strides if means else ()
        over = (*over, *[0] * (len(pass_.sizes) - len(over)))
        operands.append(operand(means, over) if means else Operand(over, 0, source.dtype.itemsize))
        accesses.append(access(means or source, False))
    operands.append(operand(target, strides))
    codes, device = (source.dtype.code, target.dtype.code), target.device
    plan = plan_pass(reducer, pass_, tuple(operands), codes, device.profile)
    if plan is not None:
        device.launch(plan, (*accesses, access(target, True)))
    return plan is not None
