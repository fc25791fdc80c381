"""Gathers: elements from where indexes tell, in any layouts.

All here trust the indexes that they are given, but for `outside`, which asks.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from dml_vk.dtypes import uint32
from dml_vk.kernels.plan_gather import Step, plan_check, plan_gather
from dml_vk.layout import Layout
from dml_vk.ops.copy import apart
from dml_vk.ops.elementwise import Typed, apart_typed
from dml_vk.ops.strided import Strided, room
from dml_vk.runtime.device import Device
from dml_vk.runtime.launch import Operand
from dml_vk.runtime.transfer import download, upload
from dml_vk.strides.order import Ints, to_dim
from dml_vk.tracing import record_bytes

Array = np.ndarray[Any, np.dtype[Any]]
KEPT_BYTES = 4096


def gather_elements(what: str, source: Strided, index: Typed, target: Strided, dim: int) -> None:
    """Write to each target element the source's of the same coordinates, but for that of `dim`.

    That one the index tells, negative ones from the end. All have one rank; along other dims the
    source and the index are repeated where they have one element.

    post: target[..., i, ...] == source[..., index[..., i, ...], ...]
    """
    target.check_target(what, "out")
    dim = to_dim(what, dim, target.layout.rank)
    source, index = apart(what, source, target), apart_typed(what, index, target)
    layout = source.layout
    strides = repeated(layout, target.layout.sizes)
    step = Step(layout.strides[dim], layout.sizes[dim])
    gather(source, (*strides[:dim], 0, *strides[dim + 1 :]), index, target, step)


def gather(source: Strided, strides: Ints, index: Typed, target: Strided, step: Step) -> None:
    """Write to each target element the source's that lies so far as the index there tells.

    That is from the places of `strides`, over the target's sizes. The index has as many dims, and
    is repeated where it has one element. Neither may share memory with the target.
    """
    _launch(source, strides, index, target, step, places=False)


def add_places(prior: Strided, index: Typed, target: Strided, step: Step) -> None:
    """Write words to the target: the prior ones, and what the index tells on top.

    Both are repeated where they have one element.
    """
    strides = repeated(prior.layout, target.layout.sizes)
    _launch(prior, strides, index, target, step, places=True)


def outside(indexes: Sequence[tuple[Typed, int]]) -> list[bool]:
    """Whether any of these is not an index of a dim of so many. This waits for the answer."""
    first = indexes[0][0].strided
    flags = uploaded("index", np.zeros(len(indexes), np.uint32), first)
    for place, (index, size) in enumerate(indexes):
        layout, device = index.strided.layout, index.strided.device
        plan = plan_check(
            *(layout.sizes, layout.strides, layout.offset, index.strided.itemsize),
            *(index.dtype.code, size, device.limits),
        )
        flag = Operand(flags.allocation, 4 * place, 4 * place, 4 * place + 4, True)
        device.queue.launch(plan, (index.strided.operand(False), flag))
    data = np.empty(flags.layout.numel * 4, np.uint8)
    download(first.device, flags.allocation, 0, data)
    return [bool(flag) for flag in data.view(np.uint32)]


def uploaded(what: str, words: Array, near: Strided) -> Strided:
    """Words of the host, in row-major order, in new memory."""
    new = room(what, Layout(words.shape), uint32.itemsize, near)
    upload(new.device, np.ascontiguousarray(words).reshape(-1).view(np.uint8), new.allocation)
    return new


def words_on_device(what: str, words: Array, near: Strided) -> Strided:
    """The same words on the device, which nobody may change. Few of them are kept for next time.

    Memory that is freed and taken again would have to wait for whoever still reads it.
    """
    if words.nbytes > KEPT_BYTES:
        record_bytes(what, words.nbytes)
        return uploaded("index", words, near)
    before = _kept_words.cache_info().misses
    kept = _kept_words(near.device, words.tobytes(), words.shape)
    if _kept_words.cache_info().misses > before:
        record_bytes(what, words.nbytes)
    return kept


@functools.lru_cache(maxsize=64)
def _kept_words(device: Device, data: bytes, sizes: Ints) -> Strided:
    allocation = device.allocate("index", len(data))
    upload(device, np.frombuffer(data, np.uint8), allocation)
    return Strided(device, allocation, Layout(sizes), uint32.itemsize)


def repeated(layout: Layout, sizes: Ints) -> Ints:
    """Strides over sizes of the same rank, 0 where one element stands for several."""
    if layout.sizes == sizes:
        return layout.strides
    return tuple(
        [
            0 if own == 1 and size != 1 else stride
            for own, size, stride in zip(layout.sizes, sizes, layout.strides)
        ]
    )


def _launch(
    source: Strided, strides: Ints, index: Typed, target: Strided, step: Step, *, places: bool
) -> None:
    layout, device = target.layout, target.device
    if not layout.numel:
        return
    led = repeated(index.strided.layout, layout.sizes)
    plan = plan_gather(
        layout.sizes,
        (
            (led, index.strided.layout.offset, index.strided.itemsize),
            (strides, source.layout.offset, source.itemsize),
            (layout.strides, layout.offset, target.itemsize),
        ),
        index.dtype.code,
        step,
        device.limits,
        places=places,
    )
    operands = (index.strided.operand(False), source.operand(False), target.operand(True))
    device.queue.launch(plan, operands)
