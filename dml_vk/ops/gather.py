"""Gathers: reading elements at given indexes, in any layouts.

Only `check_inside` checks indexes; the other functions trust them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dml_vk.arguments import Ints, to_dim
from dml_vk.dtypes import uint32
from dml_vk.kernels.plan.gather import Step, plan_check, plan_gather
from dml_vk.layout import Layout
from dml_vk.observe.copies import record_bytes
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.view import View, access, check_target, operand, temporary
from dml_vk.runtime.arenas import Bytes, MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.device_cache import device_cache
from dml_vk.runtime.hazards import Access

Array = np.ndarray[Any, np.dtype[Any]]
CACHED_BYTES = 4096


def gather_elements(what: str, source: View, index: View, target: View, dim: int) -> None:
    """Take elements along a dim at the indexes of an index view, as `take_along_axis` does.

    Negative indexes count from the end. All have the same rank; along other dims the source and the
    index broadcast.

    post: target[..., i, ...] == source[..., index[..., i, ...], ...]
    """
    check_target(what, target, "out")
    dim = to_dim(what, dim, target.layout.rank)
    source, index = (
        copy_if_overlapping(what, source, target),
        copy_if_overlapping(what, index, target),
    )
    layout = source.layout
    strides = repeated(layout, target.layout.sizes)
    step = Step(layout.strides[dim], layout.sizes[dim])
    gather(source, (*strides[:dim], 0, *strides[dim + 1 :]), index, target, step)


def gather(source: View, strides: Ints, index: View, target: View, step: Step) -> None:
    """Write to each target element the source element at the offset of its index: see `Step`.

    Offsets are added to those of `strides`, over the target's sizes. The index has the target's
    rank and broadcasts. Neither source nor index may share memory with the target.
    """
    _launch(source, strides, index, target, step, places=False)


def add_places(prior: View, index: View, target: View, step: Step) -> None:
    """Write to the target the prior words plus the offsets of the index: see `Step`.

    Both broadcast.
    """
    strides = repeated(prior.layout, target.layout.sizes)
    _launch(prior, strides, index, target, step, places=True)


def check_inside(indexes: Sequence[tuple[View, int]], fail: Callable[[int, View], None]) -> None:
    """Check that indexes are within their sizes: `fail` raises an error for the others.

    It is called with the number among `indexes`. This waits.
    """
    first = indexes[0][0]
    flags = temporary("index", Layout((len(indexes),)), uint32, first)
    # Zeros from the host would have to wait for work on memory that was freed.
    fill_constant("index", flags, uint32, 0)
    for number, (index, size) in enumerate(indexes):
        layout, device = index.layout, index.device
        plan = plan_check(
            *(layout.sizes, layout.strides, layout.offset, index.dtype.itemsize),
            *(index.dtype.code, size, device.profile),
        )
        flag = Access.of(flags.allocation, 4 * number, 4 * number, 4 * number + 4, True)
        device.launch(plan, (access(index, False), flag))

    def check(data: Bytes, real: Callable[[MemoryRange], MemoryRange]) -> None:
        for number in np.flatnonzero(data.view(np.uint32)).tolist():
            index = indexes[number][0]
            there = real(index.allocation)
            fail(number, View(index.device, there, index.layout, index.dtype))

    first.device.verify(flags.allocation, 0, 4 * len(indexes), check)


def uploaded(what: str, words: Array, near: View) -> View:
    """Upload words from the host, in row-major order, to new memory."""
    new = temporary(what, Layout(words.shape), uint32, near)
    new.device.upload(np.ascontiguousarray(words).reshape(-1).view(np.uint8), new.allocation)
    return new


def words_on_device(what: str, words: Array, near: View) -> View:
    """Return words on the device, which must not be changed. Small ones are cached.

    Uploading them to recycled memory would have to wait for pending work that reads it.
    """
    if words.nbytes > CACHED_BYTES:
        record_bytes(what, words.nbytes)
        return uploaded("index", words, near)
    before = _cached_words.cache_info().misses
    view = _cached_words(near.device, words.tobytes(), words.shape)
    if _cached_words.cache_info().misses > before:
        record_bytes(what, words.nbytes)
    return view


@device_cache(64)
def _cached_words(device: Device, data: bytes, sizes: Ints) -> View:
    allocation = device.allocate("index", len(data))
    device.upload(np.frombuffer(data, np.uint8), allocation)
    return View(device, allocation, Layout(sizes), uint32)


def repeated(layout: Layout, sizes: Ints) -> Ints:
    """Return strides over sizes of the same rank: 0 where the layout broadcasts."""
    if layout.sizes == sizes:
        return layout.strides
    return tuple(
        [
            0 if own == 1 and size != 1 else stride
            for own, size, stride in zip(layout.sizes, sizes, layout.strides)
        ]
    )


def _launch(
    source: View, strides: Ints, index: View, target: View, step: Step, *, places: bool
) -> None:
    layout, device = target.layout, target.device
    if not layout.numel:
        return
    indexed = repeated(index.layout, layout.sizes)
    plan = plan_gather(
        layout.sizes,
        (operand(index, indexed), operand(source, strides), operand(target)),
        index.dtype.code,
        step,
        device.profile,
        places=places,
    )
    operands = (access(index, False), access(source, False), access(target, True))
    device.launch(plan, operands)
