"""Gathers: reading elements at given indexes, in any layouts.

Only `checking` checks indexes; the other functions trust them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

import numpy as np

from dml_vk import context
from dml_vk.arguments import Ints, to_dim
from dml_vk.dtypes import uint32
from dml_vk.kernels.plan.gather import Step, plan_check, plan_gather
from dml_vk.layout import Layout
from dml_vk.observe.copies import record_bytes
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.view import View, access, check_target, operand
from dml_vk.runtime.arenas import Bytes, MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.device_cache import device_cache
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.host_copy import Array

T = TypeVar("T")
Check = Callable[[View, int, Access], None]  # of an index and its size, into a word
CACHED_BYTES = 4096
_MOST_FLAGS = 8  # of indexes that are checked at once, in memory that is used again


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


def gather(
    source: View,
    strides: Ints,
    index: View,
    target: View,
    step: Step,
    flag: Access | None = None,
) -> None:
    """Write to each target element the source element at the offset of its index: see `Step`.

    Offsets are added to those of `strides`, over the target's sizes. The index has the target's
    rank and broadcasts. Neither source nor index may share memory with the target. A flag becomes 1
    if an index is outside of the step's size, for elements of whole words.
    """
    _launch(source, strides, index, target, step, flag=flag)


def add_places(prior: View, index: View, target: View, step: Step) -> None:
    """Write to the target the prior words plus the offsets of the index: see `Step`.

    Both broadcast.
    """
    strides = repeated(prior.layout, target.layout.sizes)
    _launch(prior, strides, index, target, step, places=True)


def launch_check(index: View, size: int, flag: Access) -> None:
    """Set a word to 1 if an index is not within its size."""
    layout, device = index.layout, index.device
    plan = plan_check(
        *(layout.sizes, layout.strides, layout.offset, index.dtype.itemsize),
        *(index.dtype.code, size, device.profile),
    )
    device.launch(plan, (access(index, False), flag))


def checking(
    indexes: Sequence[tuple[View, int]],
    fail: Callable[[int, View], None],
    check_index: Check = launch_check,
) -> Callable[[], None]:
    """Launch checks that indexes are within their sizes, and return what waits for the result.

    For the others, `fail` raises an error. It is called with the number among `indexes`. Other
    work may check an index on the way, as `launch_check` would.

    What is launched in between runs beside the check, in the same submission. It may only read at
    the indexes, which `gather` does inside of their sizes whatever they are.
    """
    first = indexes[0][0]
    is_reused = context.recorder() is None and len(indexes) <= _MOST_FLAGS
    flags = _cleared_flags(first) if is_reused else _new_flags(first, len(indexes))
    for number, (index, size) in enumerate(indexes):
        check_index(
            index, size, Access.of(flags.allocation, 4 * number, 4 * number, 4 * number + 4, True)
        )

    def check(data: Bytes, real: Callable[[MemoryRange], MemoryRange]) -> None:
        outside: list[int] = np.flatnonzero(data.view(np.uint32)).tolist()
        if is_reused and not outside:
            _unused_flags(first.device).append(flags)
        for number in outside:
            index = indexes[number][0]
            there = real(index.allocation)
            fail(number, View(index.device, there, index.layout, index.dtype))

    def wait() -> None:
        shown = [access(index, False) for index, _ in indexes]
        first.device.verify(flags.allocation, 0, 4 * len(indexes), check, shown)

    if any(size == 0 for _, size in indexes):  # with no element to read in place of others
        wait()
        return lambda: None
    return wait


def read_beside(wait: Callable[[], None], read: Callable[[], T], out: object) -> T:
    """Do work that reads at indexes whose check has been launched, and wait for the check.

    Results in new memory are computed beside the check, since nobody sees them if it fails.
    """
    if out is not None:
        wait()
        return read()
    result = read()
    wait()
    return result


def _new_flags(near: View, count: int) -> View:
    return uploaded("index", np.zeros(count, np.uint32), near)


def _cleared_flags(near: View) -> View:
    """Return as many words that are 0 as are ever used again.

    Those of a check that found nothing are still 0, so they are used again: to clear others would
    take a launch, or an upload that may have to wait for who had their memory before.
    """
    with suppress(IndexError):  # where there are none, perhaps since another thread took the last
        return _unused_flags(near.device).pop()
    return _new_flags(near, _MOST_FLAGS)


@device_cache(64)
def _unused_flags(device: Device) -> deque[View]:
    return deque()


def uploaded(what: str, words: Array, near: View) -> View:
    """Upload words from the host, in row-major order, to new memory."""
    device = near.device
    allocation = device.allocate_for_host(what, words.nbytes, near.allocation)
    device.upload(np.ascontiguousarray(words).reshape(-1).view(np.uint8), allocation)
    return View(device, allocation, Layout(words.shape), uint32)


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
    allocation = device.allocate_for_host("index", len(data))
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
    source: View,
    strides: Ints,
    index: View,
    target: View,
    step: Step,
    *,
    places: bool = False,
    flag: Access | None = None,
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
        checked=flag is not None,
    )
    reads, flags = (access(index, False), access(source, False)), () if flag is None else (flag,)
    device.launch(plan, (*reads, *flags, access(target, True)))
