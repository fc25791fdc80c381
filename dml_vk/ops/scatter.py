"""Scatters: elements to where places tell. Of several for one element, the last one is written."""

from __future__ import annotations

from dml_vk.dtypes import uint32
from dml_vk.errors import LayoutError, explain
from dml_vk.kernels.paths import MAX_DIVIDEND
from dml_vk.kernels.plan_gather import plan_claim, plan_scatter
from dml_vk.layout import Layout
from dml_vk.ops.copy import apart
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.strided import Strided, room
from dml_vk.strides.order import Ints, packed_strides, row_major


def scatter(
    what: str,
    source: Strided,
    places: Strided,
    led: Ints,
    target: Strided,
    strides: Ints,
    stride: int,
    cells: int | None,
) -> None:
    """Write each source element to the target's so far from its own place as a word tells.

    Own places are those of `strides`, over the source's sizes. The words, in steps of so many
    elements, are for the indexes of the dims that are `led`, in row-major order: the first row of
    `places`. Its last row tells, for the same, which of so many cells is written. Of those that
    write one cell the last one does; with no number of cells, none is written twice.
    """
    layout, device = source.layout, source.device
    if layout.numel >= MAX_DIVIDEND:
        must = f"fewer than {MAX_DIVIDEND} elements must be written at once"
        raise LayoutError(explain(what, must, sizes=layout.sizes))
    source, owners = apart(what, source, target), places
    rows, count = places.layout.sizes
    if cells is not None:
        owners = room(what, Layout((cells,)), uint32.itemsize, places)
        fill_constant(what, owners, uint32, 0)
        claims = places.over(places.layout.select(0, -1))
        plan = plan_claim(count, device.limits)
        device.queue.launch(plan, (claims.operand(False), owners.operand(True)))
    index = [0] * layout.rank
    sizes = tuple([layout.sizes[dim] for dim in led])
    for dim, step in zip(led, packed_strides(sizes, row_major(len(sizes)))):
        index[dim] = step
    source_layout = source.layout
    plan = plan_scatter(
        layout.sizes,
        (
            (tuple(index), places.layout.offset, places.itemsize),
            (source_layout.strides, source_layout.offset, source.itemsize),
            (strides, target.layout.offset, target.itemsize),
        ),
        led,
        stride,
        (rows - 1) * count,
        cells is not None,
        device.limits,
    )
    reads = [one.operand(False) for one in (places, source, owners)]
    device.queue.launch(plan, (*reads, target.operand(True)))
