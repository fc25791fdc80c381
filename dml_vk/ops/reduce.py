"""Reductions: what elements along some dims of any layout come to.

**The order of a float sum or product** is that of an aligned binary tree over the leaves of each
result, the elements that it is made of, in logical row-major order of the reduced dims: node j of
level k is that of the leaves from j * 2**k up to (j + 1) * 2**k, its left half combined with its
right one, and where there is no right half, it is the left one. Nothing else matters: neither
layouts and strides, nor how the work is split, nor the device. So every aligned block of 2**k
leaves is a node, and what passes make of blocks are leaves of the next pass. float16 is computed in
float32 throughout and rounded once. The error grows with the logarithm of the number of leaves.

Integers, max, min, any, all and counts do not depend on the order, and are taken as they lie.
`dml_vk.testing.reductions` has the same in NumPy.
"""

from __future__ import annotations

from typing import Any

from dml_vk.dtypes import DType, float32, int32, int64, uint32
from dml_vk.errors import RangeError, explain
from dml_vk.kernels.plan_reduce import (
    PARTIAL,
    Code,
    Pass,
    Reduction,
    Ties,
    next_pass,
    plan_pass,
    reduction_of,
    work_of,
)
from dml_vk.layout import Layout
from dml_vk.ops.copy import copied, copy_elements
from dml_vk.ops.elementwise import Typed, apart_typed
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.strided import Strided, room
from dml_vk.strides.order import Ints

# What comes of nothing; the others have nothing to choose from.
OF_NOTHING: dict[str, Any] = {"sum": 0, "prod": 1, "any": False, "all": True, "count_nonzero": 0}


def reduce_elements(
    what: str, operator_name: str, source: Typed, target: Typed, dims: Ints
) -> None:
    """Write what each element's leaves come to: those along `dims`, which the target lacks.

    Sums and products are computed in the target's dtype, which is of the source's kind, or an
    integer for bools. max and min are of one dtype, any and all are bools, and `count_nonzero`,
    `argmax` and `argmin` int64. A source that shares memory with the target is read as if that were
    written afterwards.
    """
    to, layout = target.strided, source.strided.layout
    to.check_target(what, "out")
    source.strided.check_count(what, "x")
    if not to.layout.numel:
        return
    if not layout.numel:
        if operator_name not in OF_NOTHING:
            must = "there must be elements along axis to choose from"
            raise RangeError(explain(what, must, axis=dims, shape=layout.sizes))
        fill_constant(what, to, target.dtype, OF_NOTHING[operator_name])
        return
    source = apart_typed(what, source, to)
    if _in_passes(what, operator_name, source, target, dims):
        return
    # More dims than kernels have room for: packed, they are one that stays and one that goes.
    kept = [dim for dim in range(layout.rank) if dim not in dims]
    ordered = Layout(layout.sizes, layout.strides, layout.offset, (*kept, *sorted(dims)))
    packed = copied(what, source.strided.over(ordered))
    made = room(what, Layout.packed(to.layout.sizes), to.itemsize, to)
    source, result = source._replace(strided=packed), target._replace(strided=made)
    _in_passes(what, operator_name, source, result, dims)
    copy_elements(what, made, to)


def _in_passes(what: str, operator_name: str, source: Typed, target: Typed, dims: Ints) -> bool:
    """Pass by pass; False as soon as a kernel has no room for the dims of one."""
    reduction = reduction_of(operator_name, target.dtype)
    given, to, ties = source.strided, target.strided, reduction.ties
    if ties is Ties.NONE:
        back = [dim for dim in dims if given.layout.strides[dim] < 0]
        given = given.over(given.layout.flip(back))
    work = work_of(given.layout.sizes, given.layout.strides, dims, ties)
    code, last = _code(source.dtype), _code(target.dtype)
    partial = _partial(reduction, target.dtype)
    while True:
        made = next_pass(work, ties, code.nbytes, partial.nbytes, to.device.limits)
        if made.rest is None:
            return _launch(reduction, made, to.layout.strides, given, to, code, last)
        left = room(what, Layout(made.sizes, made.made), partial.nbytes, to)
        if not _launch(reduction, made, made.made, given, left, code, partial):
            return False
        work, given, code = made.rest, left, partial
        if reduction.name == "count_nonzero":
            reduction = reduction._replace(name="sum")


def _launch(
    reduction: Reduction,
    made: Pass,
    strides: Ints,
    source: Strided,
    target: Strided,
    source_code: Code,
    target_code: Code,
) -> bool:
    """One pass to these strides, if a plan has room for its dims."""
    device = target.device
    offsets = source.layout.offset, target.layout.offset
    plan = plan_pass(reduction, made, strides, source_code, target_code, offsets, device.limits)
    if plan is not None:
        device.queue.launch(plan, (source.operand(False), target.operand(True)))
    return plan is not None


def _code(dtype: DType) -> Code:
    return Code(dtype.code, dtype.itemsize)


def _partial(reduction: Reduction, target: DType) -> Code:
    """What a pass leaves for the next one."""
    if reduction.ties is Ties.INDEX:
        return PARTIAL
    wide = target.itemsize == 8
    if target.kind == "f":
        # Extremes of floats are found as integers that are in the same order.
        extreme = reduction.ties is Ties.NONE
        return _code((int64 if extreme else target) if wide else int32 if extreme else float32)
    return _code(target if wide else int32 if target.kind == "i" else uint32)
