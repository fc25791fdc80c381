"""Reductions: dims of any layout to one element each, or blocks of a dim.

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

from collections.abc import Callable
from typing import Any

from dml_vk.dtypes import DType, float32, int32, uint32
from dml_vk.errors import RangeError, explain
from dml_vk.kernels.plan_reduce import (
    MAX_TREE,
    PARTIAL,
    Code,
    Pass,
    Reduction,
    Ties,
    next_pass,
    plan_pass,
    reduction_of,
    row_pass,
    work_of,
)
from dml_vk.layout import Layout
from dml_vk.ops.copy import copied, copy_elements
from dml_vk.ops.elementwise import Typed
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.strided import Strided
from dml_vk.strides.order import Ints, row_major

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
    if not to.layout.numel:
        return
    if not layout.numel:
        if operator_name not in OF_NOTHING:
            must = "there must be elements to choose from"
            raise RangeError(explain(what, must, shape=layout.sizes, dims=dims))
        fill_constant(what, to, target.dtype, OF_NOTHING[operator_name])
        return
    kept = tuple([dim for dim in range(layout.rank) if dim not in dims])

    def attempt(source: Typed, target: Typed) -> bool:
        return _in_passes(what, operator_name, source, target, dims)

    _with_room(what, source, target, (*kept, *sorted(dims)), row_major(len(kept)), attempt)


def reduce_blocks(
    what: str, operator_name: str, source: Typed, target: Typed, dim: int, log2_block: int
) -> None:
    """As `reduce_elements`, for each aligned block of 2**log2_block indexes along one dim.

    The target has the source's dims, and along `dim` as many as there are blocks.
    """
    to = target.strided
    if not to.layout.numel:
        return
    if log2_block > MAX_TREE:
        layout = source.strided.layout
        blocks = -(-layout.sizes[dim] >> MAX_TREE)
        sizes = (*layout.sizes[:dim], blocks, *layout.sizes[dim + 1 :])
        dtype = _partial_dtype(target.dtype)
        own = Layout.packed(sizes, layout.order)
        left = Typed(_allocated(what, source.strided, own, dtype.itemsize), dtype)
        reduce_blocks(what, operator_name, source, left, dim, MAX_TREE)
        again = _next(reduction_of(operator_name, target.dtype))
        reduce_blocks(what, again.name, left, target, dim, log2_block - MAX_TREE)
        return
    rank = to.layout.rank
    order = (*[one for one in range(rank) if one != dim], dim)

    def attempt(source: Typed, target: Typed) -> bool:
        reduction = reduction_of(operator_name, target.dtype)
        given, layout = source.strided, source.strided.layout
        # As if the dim went as a whole; what comes of its blocks is the innermost dim instead.
        work = work_of(layout.sizes, layout.strides, (dim,), reduction.ties)
        made = row_pass(work, reduction.ties, log2_block)
        strides = tuple([target.strided.layout.strides[one] for one in order])
        codes = _code(source.dtype), _code(target.dtype)
        return _launch(reduction, made, strides, given, target.strided, *codes)

    _with_room(what, source, target, order, order, attempt)


def _in_passes(what: str, operator_name: str, source: Typed, target: Typed, dims: Ints) -> bool:
    """Whether each pass found room; none but the first may lack it."""
    reduction = reduction_of(operator_name, target.dtype)
    given, to, ties = source.strided, target.strided, reduction.ties
    if ties is Ties.NONE:
        back = [dim for dim in dims if given.layout.strides[dim] < 0]
        given = given._replace(layout=given.layout.flip(back))
    work = work_of(given.layout.sizes, given.layout.strides, dims, ties)
    code, last = _code(source.dtype), _code(target.dtype)
    partial = PARTIAL if ties is Ties.INDEX else _code(_partial_dtype(target.dtype))
    while True:
        made = next_pass(work, ties, to.device.limits)
        if made.rest is None:
            return _launch(reduction, made, to.layout.strides, given, to, code, last)
        left = _allocated(what, to, Layout(made.sizes, made.made), partial.nbytes)
        if not _launch(reduction, made, made.made, given, left, code, partial):
            return False
        work, given, code = made.rest, left, partial
        reduction = _next(reduction)


def _with_room(
    what: str,
    source: Typed,
    target: Typed,
    order: Ints,
    made_in: Ints,
    attempt: Callable[[Typed, Typed], bool],
) -> None:
    """Attempt it, and where there are more dims than kernels have room for, on packed memory.

    There the source is in this `order`, and what is made of it in the other one.
    """
    from_, to = source.strided, target.strided
    if from_.meets(to):
        source = source._replace(strided=copied(what, from_, "overlap"))
    if attempt(source, target):
        return
    layout = from_.layout
    ordered = from_._replace(layout=Layout(layout.sizes, layout.strides, layout.offset, order))
    made = _allocated(what, to, Layout.packed(to.layout.sizes, made_in), to.itemsize)
    attempt(source._replace(strided=copied(what, ordered)), target._replace(strided=made))
    copy_elements(what, made, to)


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


def _next(reduction: Reduction) -> Reduction:
    """What puts together the results of blocks."""
    return reduction._replace(name="sum") if reduction.name == "count_nonzero" else reduction


def _code(dtype: DType) -> Code:
    return Code(dtype.code, dtype.itemsize)


def _partial_dtype(target: DType) -> DType:
    """In what a target's dtype is computed."""
    if target.itemsize == 8:
        return target
    return float32 if target.kind == "f" else int32 if target.kind == "i" else uint32


def _allocated(what: str, near: Strided, layout: Layout, itemsize: int) -> Strided:
    """New memory in a packed layout."""
    allocation = near.device.allocate(what, layout.numel * itemsize, near.allocation)
    return Strided(near.device, allocation, layout, itemsize)
