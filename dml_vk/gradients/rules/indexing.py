"""Gathers and scatters: gradients are added where elements were taken from, by sorted index."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.calls import call, composed
from dml_vk.array.creation.arrays import zeros, zeros_like
from dml_vk.array.creation.grids import arange
from dml_vk.array.indexing import api, reads, take
from dml_vk.array.math.elementwise import less, maximum, where
from dml_vk.array.sorting.searching import searchsorted
from dml_vk.array.sorting.sorts import argsort
from dml_vk.array.statistics import histograms
from dml_vk.array.statistics.segments import segment_sums
from dml_vk.dtypes import float16, int64
from dml_vk.gradients.memory import repeated
from dml_vk.gradients.rules.registry import Noted, no_gradient_of, rule, updates
from dml_vk.gradients.rules.shapes import summed_to, to_dtype
from dml_vk.layout import Layout
from dml_vk.ops.scan import SUM
from dml_vk.ops.segments import narrowed, reduce_rows
from dml_vk.ops.view import with_layout
from dml_vk.tensor.core import Tensor, tensor_over


def added_at(values: Tensor, index: Tensor, count: int) -> Tensor:
    """Return `count` sums of values, each of those with its index, in their order."""
    return composed(_added_at, (values, index), None, count)


def _added_at(operands: Sequence[Tensor], out: None, count: int) -> Tensor:
    values, index = operands
    if values.dtype is float16:  # which is rounded at other nodes than the last
        index = Tensor(narrowed("take", index, count + 1))
        order = argsort(index)
        own = take.elements_at(index, order)
        bounds = searchsorted(own, arange(count + 1, dtype=own.dtype, device=index.device))
        return segment_sums(take.elements_at(values, order), bounds, values.size)
    sums = zeros((count,), values.dtype, device=values.device)
    full = 1 << (values.size - 1).bit_length() if values.size > 1 else 0
    reduce_rows("take", SUM, index, values, sums, full=full)
    return sums


@rule(_added_at, histograms.total_weights)
def _added(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    return take.elements_at(cotangent, noted.operands[1]), None


def numbered(x: Tensor) -> Tensor:
    """The row-major number of each element, where x has it in memory; the first of those there."""
    new = tensor_over("take", Layout((x.allocation.nbytes // x.dtype.itemsize,)), int64, x.device)
    numbers = arange(x.size, dtype=int64, device=x.device).reshape(x.shape)
    layout = x.layout
    for dim in repeated(layout):
        layout, numbers = layout.narrow(dim, 0, 1), numbers.narrow(dim, 0, 1)
    if layout.overlaps:
        raise no_gradient_of("take", "elements of x share memory: use x.clone()")
    new.over(layout)[...] = numbers
    return new.over(x.layout)


@rule(reads._gather_into, take._along)
def _gathered(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Gather the numbers of elements by the same index, to know where gradients are added."""
    x, index = noted.operands
    is_apart = noted.function is not reads._gather_into and x.layout.overlaps
    source = x.clone() if is_apart else x  # the parameters hold for both
    places = noted.function((numbered(source), index), None, *noted.params)
    sums = added_at(cotangent.reshape(-1), places.reshape(-1), x.size)
    return sums.reshape(x.shape), None


@rule(api._write_view)
def _write_view(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (value,) = noted.operands
    return (_to_value(cotangent, value),)


@rule(api._select_by_mask)
def _select_by_mask(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    mask, value, _ = noted.operands
    placed, spread = noted.params
    where_written = Tensor(with_layout(mask, placed))
    nothing = zeros_like(cotangent)
    own = None
    if isinstance(value, Tensor) and value.dtype.kind in "fc":
        written = where(where_written, cotangent, nothing)
        own = to_dtype(summed_to(written, spread.sizes), value.dtype).reshape(value.shape)
    return None, own, where(where_written, nothing, cotangent)


@rule(api._write_scattered)
def _write_scattered(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Each element passes its gradient to the value that was written last; the rest stays."""
    source, places, _ = noted.operands
    view = noted.result
    numbers = arange(source.size, dtype=int64, device=view.device).reshape(source.shape)
    memory = Layout((view.allocation.nbytes // view.dtype.itemsize,))
    last = tensor_over("setitem", memory, int64, view.device).over(view.layout)
    last[...] = -1
    call(api._write_scattered, (numbers, places), last, *noted.params)
    is_old = less(last, 0)
    nothing = zeros_like(cotangent)
    written = where(is_old, nothing, cotangent).reshape(-1)
    sums = added_at(written, maximum(last, 0).reshape(-1), source.size)
    return sums.reshape(source.shape), None, where(is_old, cotangent, nothing)


updates(api._write_scattered)


def _to_value(gradient: Tensor, value: object) -> Tensor | None:
    if not isinstance(value, Tensor) or value.dtype.kind not in "fc":
        return None
    extra = max(0, value.ndim - gradient.ndim)
    return to_dtype(summed_to(gradient, value.shape[extra:]), value.dtype).reshape(value.shape)
