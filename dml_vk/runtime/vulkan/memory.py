"""Blocks: a piece of device memory with a buffer over all of it."""

from __future__ import annotations

from ctypes import byref, c_uint64, c_void_p
from typing import Any

import numpy as np

from dml_vk.driver.vulkan import (
    DEVICE_LOCAL,
    HOST_CACHED,
    HOST_COHERENT,
    HOST_VISIBLE,
    STORAGE_BUFFER,
    TRANSFERS,
    BufferCreateInfo,
    MemoryAllocateInfo,
    MemoryProperties,
    MemoryRequirements,
)
from dml_vk.errors import DeviceError
from dml_vk.runtime.interface import MemoryKind
from dml_vk.runtime.vulkan.opened import Made, Opened

_MAPPED = HOST_VISIBLE | HOST_COHERENT
# The properties that a kind must have, and combinations of others, the best first.
_WANTED: dict[MemoryKind, tuple[int, tuple[int, ...]]] = {
    "device": (DEVICE_LOCAL, (0,)),
    "upload": (_MAPPED, (0,)),
    "readback": (_MAPPED, (HOST_CACHED, 0)),
    # Where the device shares the host's memory, what is not cached costs the host far more than
    # what is not local costs the device.
    "unified": (_MAPPED, (DEVICE_LOCAL | HOST_CACHED, HOST_CACHED, DEVICE_LOCAL, 0)),
}
# Other properties mean memory that needs a feature, or that buffers do not get.
_KNOWN = DEVICE_LOCAL | HOST_VISIBLE | HOST_COHERENT | HOST_CACHED
_START, _ALL = c_uint64(0), c_uint64(2**64 - 1)  # VK_WHOLE_SIZE


class Block:
    """Memory, and the buffer over it. Kinds other than "device" are mapped."""

    def __init__(self, opened: Opened, nbytes: int, kind: MemoryKind) -> None:
        self.nbytes = nbytes
        self._buffer = Made(
            opened,
            "vkCreateBuffer",
            byref(BufferCreateInfo(nbytes=nbytes, usage=STORAGE_BUFFER | TRANSFERS)),
            nbytes=nbytes,
        )
        self.buffer = self._buffer.handle
        needs = MemoryRequirements()
        opened.calls.vkGetBufferMemoryRequirements(opened.handle, self.buffer, byref(needs))
        request = MemoryAllocateInfo(
            nbytes=needs.nbytes, memory_type=choose_type(opened.memory, needs.type_bits, kind)
        )
        self._memory = Made(opened, "vkAllocateMemory", byref(request), nbytes=nbytes, kind=kind)
        memory = self._memory.handle
        opened.check("vkBindBufferMemory", opened.handle, self.buffer, memory, _START)
        self._address = c_void_p()
        if kind != "device":
            address = byref(self._address)
            opened.check("vkMapMemory", opened.handle, memory, _START, _ALL, 0, address)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """NumPy's view of the memory, which keeps this object alive."""
        words = np.dtype(np.uint32)
        return {
            "version": 3,
            "shape": (self.nbytes // words.itemsize,),
            "typestr": words.str,
            "data": (self._address.value, False),
        }


def choose_type(memory: MemoryProperties, allowed: int, kind: MemoryKind) -> int:
    """Choose the first of the best memory types of a kind; `allowed` has a bit for each type."""
    needed, preferred = _WANTED[kind]
    for flags in (needed | others for others in preferred):
        for index, one in enumerate(memory.types[: memory.type_count]):
            if allowed >> index & 1 and one.flags & flags == flags and not one.flags & ~_KNOWN:
                return index
    raise DeviceError("device", "the driver must have memory of this kind", kind=kind)
