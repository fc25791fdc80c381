"""Reductions of any layout along some of its dims.

**The order of a float sum or product** is that of an aligned binary tree. Its leaves are the
elements reduced to one result, in logical row-major order of the reduced dims. Node j of level k
covers the leaves from j * 2**k up to (j + 1) * 2**k: its left half combined with its right half, or
the left half if there is no right one. The result depends on nothing else: not on layouts and
strides, the split of the work, or the device. So every aligned block of 2**k leaves is a node, and
the results of a pass are the leaves of the next one. float16 is computed in float32 throughout and
rounded once. The error grows with the logarithm of the number of leaves.

Integers, max, min, any, all and counts do not depend on the order, and are read in memory order.
`dml_vk.testing.reductions` is a NumPy model of this.
"""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType, float32, int32, int64, uint32
from dml_vk.errors import RangeError
from dml_vk.kernels.plan.passes import Pass, Ties, next_pass, work_of
from dml_vk.kernels.plan.reduce import (
    FOUR,
    PARTIAL,
    SEVERAL_BYTES,
    Reducer,
    plan_pass,
    reducer_of,
)
from dml_vk.kernels.plan.reduce_kernels import PAIRS
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.layout import Layout
from dml_vk.ops.copy import copied, copy_elements, copy_if_overlapping
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.view import View, access, check_count, check_target, operand, temporary, with_layout

# A result of argmax and argmin, an element and its index; or that of several numbers of a row.
PARTIAL_RESULT = DType("partial", SEVERAL_BYTES, "V", None)
FOUR_NUMBERS = DType("four", SEVERAL_BYTES, "V", None)  # those of "statistics"
_CODES = {PARTIAL_RESULT: PARTIAL, FOUR_NUMBERS: FOUR}


def reduce_elements(what: str, name: str, source: View, target: View, dims: Ints) -> None:
    """Reduce the source along `dims`, which the target lacks, by one of `REDUCTIONS`.

    Sums and products are computed in the target's dtype, which is of the source's kind, or an
    integer for bools. Other targets have the dtype that the reduction's row names. A source
    that shares memory with the target is read as if the target were written afterwards.
    """
    to, layout = target, source.layout
    check_target(what, to, "out")
    check_count(what, source, "x")
    if not to.layout.numel:
        return
    if not layout.numel:
        nothing = REDUCTIONS[name].nothing
        if nothing is None:
            rule = "zero-size reduction has no identity"
            raise RangeError(what, rule, axis=dims, shape=layout.sizes)
        fill_constant(what, to, target.dtype, nothing)
        return
    source = copy_if_overlapping(what, source, to)
    reduce_present(what, name, source, target, dims)


def reduce_present(
    what: str, name: str, source: View, target: View, dims: Ints, constants: Ints = ()
) -> None:
    """Reduce a source with elements, and no memory in common with the target."""
    to, layout = target, source.layout
    reducer = reducer_of(name, target.dtype, constants)
    if _in_passes(what, reducer, source, target, dims):
        return
    # Too many dims for a kernel: those of a packed copy merge to two, of which one is reduced.
    left_dims = [dim for dim in range(layout.rank) if dim not in dims]
    ordered = Layout(layout.sizes, layout.strides, layout.offset, (*left_dims, *sorted(dims)))
    packed = copied(what, with_layout(source, ordered))
    result = temporary(what, Layout.packed(to.layout.sizes), to.dtype, to)
    _in_passes(what, reducer, packed, result, dims)
    copy_elements(what, result, to)


def _in_passes(what: str, reducer: Reducer, source: View, target: View, dims: Ints) -> bool:
    """Reduce pass by pass; return False if a pass has too many dims for a kernel."""
    to, ties = target, reducer.ties
    if ties is Ties.NONE:
        back = [dim for dim in dims if source.layout.strides[dim] < 0]
        source = with_layout(source, source.layout.flip(back))
    work = work_of(source.layout.sizes, source.layout.strides, dims, ties)
    partial = _partial(reducer, target.dtype)
    while True:
        nbytes = source.dtype.itemsize, partial.itemsize
        pass_ = next_pass(work, ties, *nbytes, to.device.profile)
        if pass_.rest is None:
            return _launch(reducer, pass_, to.layout.strides, source, to)
        left = temporary(what, Layout(pass_.sizes, pass_.out_strides), partial, to)
        if not _launch(reducer, pass_, pass_.out_strides, source, left):
            return False
        work, source = pass_.rest, left
        if reducer.then:
            reducer = reducer_of(reducer.then, target.dtype)


def _launch(reducer: Reducer, pass_: Pass, strides: Ints, source: View, target: View) -> bool:
    """Launch one pass to these strides; return False if it has too many dims."""
    device = target.device
    operands = operand(source, pass_.strides), operand(target, strides)
    codes = _code(source.dtype), _code(target.dtype)
    plan = plan_pass(reducer, pass_, operands, codes, device.profile)
    if plan is not None:
        device.launch(plan, (access(source, False), access(target, True)))
    return plan is not None


def _code(dtype: DType) -> int:
    return _CODES.get(dtype) or dtype.code


def _partial(reducer: Reducer, target: DType) -> DType:
    """Return the dtype of partial results, which a pass leaves for the next one."""
    if reducer.ties is Ties.INDEX or reducer.name in PAIRS:
        return PARTIAL_RESULT
    wide = target.itemsize >= 8
    if target.kind == "f":
        # Partial extremes of floats are integers with the same order.
        extreme = reducer.ties is Ties.NONE
        return (int64 if extreme else target) if wide else int32 if extreme else float32
    return target if wide else int32 if target.kind == "i" else uint32
