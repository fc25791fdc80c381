"""Scatters: writing elements at given indexes. If several write one element, the last one wins."""

from __future__ import annotations

from collections.abc import Callable

from dml_vk.arguments import Ints
from dml_vk.dtypes import uint32
from dml_vk.errors import LayoutError
from dml_vk.kernels.plan.paths import MAX_DIVIDEND
from dml_vk.kernels.plan.scatter import plan_claim, plan_elect, plan_pick, plan_scatter
from dml_vk.kernels.plan.tasks import QUAD_BYTES
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.gather import checking
from dml_vk.ops.view import View, access, operand, temporary, with_layout
from dml_vk.runtime.hazards import Access
from dml_vk.strides.order import packed_strides, row_major

_PER = 16  # elements in a quad, at most
_TIMES = 4  # cells per written element, up to which all cells are visited


def scatter(
    what: str,
    source: View,
    places: View,
    indexed: Ints,
    target: View,
    strides: Ints,
    stride: int,
    cells: int | None,
    *,
    drops: bool = False,
) -> None:
    """Write each source element to the target, at an offset taken from `places`.

    It is added to the offset of `strides`, over the source's sizes. The first row of `places` has a
    word for each index of the `indexed` dims, in row-major order, in units of `stride` elements.
    Its last row has the cell, below `cells`, that each of these writes. The last writer of a cell
    wins; with `cells` None, no cell is written twice. With `drops`, the last cell stays as it is.
    """
    layout, device = source.layout, source.device
    if layout.numel >= MAX_DIVIDEND:
        rule = f"cannot write {MAX_DIVIDEND} elements or more at once"
        raise LayoutError(what, rule, sizes=layout.sizes)
    source, winners = copy_if_overlapping(what, source, target), places
    rows, count = places.layout.sizes
    if cells is not None:
        winners = _no_winners(what, cells, places)
        written = with_layout(places, places.layout.select(0, -1))
        plan = plan_claim(count, written.layout.offset, 4, device.profile)
        device.launch(plan, (access(written, False), access(winners, True)))
        if drops:
            last = with_layout(winners, winners.layout.narrow(0, cells - 1, 1))
            fill_constant(what, last, uint32, 0)
        if rows == stride == 1 and layout.numel == count:
            values = _values_to_pick(source, target, cells - drops)
            if values is not None:
                _pick(values, places, winners, target, cells - drops)
                return
    index = [0] * layout.rank
    sizes = tuple([layout.sizes[dim] for dim in indexed])
    for dim, step in zip(indexed, packed_strides(sizes, row_major(len(sizes)))):
        index[dim] = step
    plan = plan_scatter(
        layout.sizes,
        (operand(places, tuple(index)), operand(source), operand(target, strides)),
        indexed,
        stride,
        (rows - 1) * count,
        cells is not None,
        device.profile,
    )
    reads = [access(view, False) for view in (places, source, winners)]
    device.launch(plan, (*reads, access(target, True)))


def scatter_checking(
    what: str, source: View, index: View, target: View, size: int, fail: Callable[[int, View], None]
) -> bool:
    """Write each source element to the element of the target that an index of any type names.

    Indexes are checked on the way, and nothing is written before all of them are known to be right:
    for others `fail` raises an error, as in `ops.gather.checking`. False if few elements are
    written, or they are not adjacent.
    """
    values = _values_to_pick(source, target, size)
    numbers = index.layout.view(index.layout.numel)
    if values is None or numbers is None or index.layout.numel >= MAX_DIVIDEND:
        return False
    values, winners = copy_if_overlapping(what, values, target), _no_winners(what, size, target)

    def elect(index: View, size: int, flag: Access) -> None:
        dtype, device = index.dtype, index.device
        plan = plan_elect(
            *(numbers.numel, numbers.strides[0], dtype.itemsize, dtype.code, size, device.profile)
        )
        device.launch(plan, (access(index, False), flag, access(winners, True)))

    checking([(index, size)], fail, elect)()
    _pick(values, winners, winners, target, size)
    return True


def _no_winners(what: str, cells: int, near: View) -> View:
    winners = temporary(what, Layout((-(-cells // _PER) * _PER,)), uint32, near)
    fill_constant(what, winners, uint32, 0)
    return winners


def _values_to_pick(source: View, target: View, cells: int) -> View | None:
    """Return the source as one dim, if it is picked from; None if few cells are written."""
    values, itemsize = source.layout.view(source.layout.numel), target.dtype.itemsize
    many = 0 < cells <= _TIMES * source.layout.numel
    if not many or values is None or target.layout.offset * itemsize % QUAD_BYTES:
        return None
    return with_layout(source, values)


def _pick(values: View, numbered: View, winners: View, target: View, cells: int) -> None:
    """Write the cells in ascending order, which are adjacent elements.

    Each cell reads its winner's element, so writes need no atomics. Winners count from the base of
    `numbered`.
    """
    plan = plan_pick(cells, target.dtype.itemsize, target.device.profile)
    reach = with_layout(target, Layout((cells,), (1,), target.layout.offset))
    reads = [access(view, False) for view in (winners, numbered, values)]
    params = (values.layout.strides[0] & 0xFFFFFFFF,)
    target.device.launch(plan, (*reads, access(reach, True)), params)
