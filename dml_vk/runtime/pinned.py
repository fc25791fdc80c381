"""Memory of the host that the device itself copies from and to, as NumPy arrays."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.runtime import transfer
from dml_vk.runtime.arenas import MemoryRange

if TYPE_CHECKING:
    from dml_vk.runtime.device import Device

Array = np.ndarray[Any, np.dtype[Any]]


class Pinned:
    """A range of such memory, on which arrays are based, and which they keep."""

    def __init__(self, device: Device, allocation: MemoryRange, array: Array) -> None:
        self.device = device
        self.allocation = allocation
        self.__array_interface__ = array.__array_interface__

    @property
    def address(self) -> int:
        return int(self.__array_interface__["data"][0])

    def send(self, array: Array, target: MemoryRange) -> None:
        """Let the device copy the bytes of an array of this memory to the start of a range."""
        begin = self._start(array)
        transfer.carry(self.device, (self.allocation, begin), (target, 0), array.nbytes)
        self.device.settle(self.allocation, True)  # the host may write other values now

    def receive(self, source: MemoryRange, start: int, array: Array) -> None:
        """Let the device copy bytes, from `start` on, into an array of this memory."""
        begin = self._start(array)
        transfer.carry(self.device, (source, start), (self.allocation, begin), array.nbytes)
        self.device.settle(self.allocation, False)

    def _start(self, array: Array) -> int:
        return int(array.__array_interface__["data"][0]) - self.address


def pinned_array(what: str, device: Device, shape: Ints, kind: np.dtype[Any]) -> Array:
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
    return np.asarray(Pinned(device, allocation, array))


def pinned_for(device: Device, array: Array) -> Pinned | None:
    """The memory that an array is in, if this device can copy from it better than the host."""
    owner: Any = array.base
    while isinstance(owner, np.ndarray):
        owner = owner.base
    is_such = isinstance(owner, Pinned) and owner.device is device and not device.unified
    return owner if is_such else None
