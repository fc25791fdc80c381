"""Gathers by advanced indexes: the dims that a key selects, and the elements there."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk import context
from dml_vk.arguments import Ints
from dml_vk.array.calls import call
from dml_vk.array.indexing.keys import Key
from dml_vk.array.indexing.positions import (
    Part,
    being_checked,
    refuse_index,
    shape_of,
    to_read,
    with_outer_dims,
)
from dml_vk.kernels.plan.gather import Step
from dml_vk.layout import Layout
from dml_vk.ops.gather import checking, gather, read_beside
from dml_vk.ops.view import View, with_layout
from dml_vk.runtime.hazards import Access
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over


class Selected:
    """The dims that a key selects: those of the index among the dims that are not indexed."""

    def __init__(self, key: Key, shape: Ints) -> None:
        layout, indexed = key.layout, key.indexed
        rest = [dim for dim in range(layout.rank) if dim not in indexed]
        before, after = rest[: key.at], rest[key.at :]
        sizes, strides = layout.sizes, layout.strides
        self.indexed = tuple(range(key.at, key.at + len(shape)))
        self.behind = len(after)
        self.sizes: Ints = (
            *[sizes[dim] for dim in before],
            *shape,
            *[sizes[dim] for dim in after],
        )
        self.strides: Ints = (
            *[strides[dim] for dim in before],
            *[0 for _ in shape],
            *[strides[dim] for dim in after],
        )
        self._order, self._places = layout.order, {dim: k for k, dim in enumerate(before)}
        self._places.update({dim: k for k, dim in enumerate(after, key.at + len(shape))})
        self._same = len(self.sizes) == layout.rank and indexed == self.indexed

    @property
    def order(self) -> Ints:
        """The order of the view, with the index's dims in place of the indexed ones."""
        if self._same:
            return self._order
        order: list[int] = []
        left = self.indexed
        for dim in self._order:
            order += (self._places[dim],) if dim in self._places else left
            left = left if dim in self._places else ()
        return (*left, *order)


def gathered_checking(
    what: str, tensor: Tensor, key: Key, parts: Sequence[Part], out: Tensor | None = None
) -> Tensor:
    """Do what `gathered` does by indexes that are not checked yet: beside the check or with it."""
    index = None if out is not None else _checked_index(tensor, key, parts)
    if index is None:
        known, wait = being_checked(what, parts)
        return read_beside(wait, lambda: gathered(what, tensor, key, known, out), out)
    (part,) = parts
    selected = Selected(key, part.shape)
    layout = Layout.packed(selected.sizes, selected.order)
    _, step = to_read(what, parts, part.shape, tensor)
    spread = with_outer_dims(index.layout, key.at, selected.behind)
    result = result_over(what, layout, tensor.dtype, tensor, None)

    def read(index: View, size: int, flag: Access) -> None:
        source, at = with_layout(tensor, key.layout), with_layout(index, spread)
        gather(source, selected.strides, at, result, step, flag)

    def fail(_: int, outside: View) -> None:
        refuse_index(what, part, Tensor(outside).numpy())

    checking([(index, part.size)], fail, read)()
    return result


def _checked_index(tensor: Tensor, key: Key, parts: Sequence[Part]) -> View | None:
    """The index, if the gather checks it on the way: the only one, along one dim on the device.

    None if it need not be checked, and if a recorder or the device is better served step by step.
    """
    (part, *others), index = parts, parts[0].array
    if others or len(part.dims) != 1 or not isinstance(index, View) or not index.layout.numel:
        return None
    is_apart = context.recorder() is not None or not tensor.device.profile.coalesces
    if is_apart or not part.is_asked or not key.layout.numel or tensor.dtype.itemsize < 4:
        return None
    return index


def gathered(
    what: str, tensor: Tensor, key: Key, parts: Sequence[Part], out: Tensor | None = None
) -> Tensor:
    shape = shape_of(what, parts)
    selected = Selected(key, shape)
    layout = Layout.packed(selected.sizes, selected.order)
    if not layout.numel:
        return result_over(what, layout, tensor.dtype, tensor, out)
    index, step = to_read(what, parts, shape, tensor)
    spread = with_outer_dims(index.layout, key.at, selected.behind)
    operands = tensor, Tensor(index)
    return call(
        _gather_into, operands, out, what, key.layout, selected.strides, spread, step, layout
    )


def _gather_into(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    view: Layout,
    strides: Ints,
    spread: Layout,
    step: Step,
    layout: Layout,
) -> Tensor:
    tensor, index = operands
    result = result_over(what, layout, tensor.dtype, tensor, out)
    source = with_layout(tensor, view)
    gather(source, strides, with_layout(index, spread), result, step)
    return result
