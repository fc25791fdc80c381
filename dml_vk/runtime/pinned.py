"""Memory of the host that the device itself copies from and to, as NumPy arrays."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk import context
from dml_vk.arguments import Ints
from dml_vk.runtime import transfer
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.host_copy import Array
from dml_vk.runtime.interface import Block

if TYPE_CHECKING:
    from dml_vk.runtime.device import Device


class Pinned:
    """A range of such memory, on which arrays are based, and which they keep."""

    def __init__(
        self, device: Device, block: Block, address: int, array: Array, owner: object
    ) -> None:
        """`address` is where the block begins; the array is of memory that its owner keeps."""
        self.device = device
        self._block, self._address = block, address
        self._owner = owner
        self.__array_interface__ = array.__array_interface__

    def send(self, array: Array, target: MemoryRange) -> None:
        """Let the device copy the bytes of an array of this memory to the start of a range."""
        there, access = transfer.part(target, 0, array.nbytes, True)
        transfer.direct(self.device, self._start(array), there, array.nbytes, access)

    def receive(self, source: MemoryRange, start: int, array: Array) -> None:
        """Let the device copy bytes, from `start` on, into an array of this memory."""
        there, access = transfer.part(source, start, array.nbytes, False)
        transfer.direct(self.device, there, self._start(array), array.nbytes, access)

    def _start(self, array: Array) -> transfer.Start:
        return self._block, _address(array) - self._address


def pinned_array(what: str, device: Device, shape: Ints, kind: np.dtype[np.generic]) -> Array:
    """Make an array in such memory, of which the elements are undefined."""
    nbytes = prod(shape) * kind.itemsize
    if not nbytes:
        return np.empty(shape, kind)
    memory = device.memory if device.unified else device.downloads
    with device.queue.enter():
        allocation = memory.allocate(what, nbytes)
    view = transfer.mapped(device, allocation, True)
    assert view is not None
    array: Array = np.ndarray(shape, kind, view[:nbytes])
    address = _address(array) - allocation.offset
    return np.asarray(Pinned(device, allocation.arena.block, address, array, allocation))


def pinned_view(device: Device, array: Array) -> Array:
    """View an array so that the device copies from and to its memory, where it can."""
    view = array.view(np.ndarray)
    if device.unified or not array.size or pinned_for(device, view) is not None:
        return view
    steps = [(size - 1) * stride for size, stride in zip(array.shape, array.strides)]
    low = _address(array) + sum([min(step, 0) for step in steps])
    block = device.import_pages(low, array.itemsize + sum(map(abs, steps)), array)
    if block is None:
        return view
    return np.asarray(Pinned(device, block, block.address, array, block))


def pinned_for(device: Device, array: Array) -> Pinned | None:
    """The memory that an array is in, if this device can copy from it better than the host.

    None where work is recorded, which the values of now are no part of.
    """
    owner: Any = array.base
    while isinstance(owner, np.ndarray):
        owner = owner.base
    is_such = isinstance(owner, Pinned) and owner.device is device and not device.unified
    return owner if is_such and context.recorder() is None else None


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])
