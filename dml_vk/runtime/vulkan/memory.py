"""Blocks: a piece of device memory with a buffer over all of it."""

from __future__ import annotations

from ctypes import byref, c_uint64, c_void_p
from typing import Any

import numpy as np

from dml_vk.driver import memory_types
from dml_vk.driver.vulkan import (
    STORAGE_BUFFER,
    TRANSFERS,
    MemoryAllocateInfo,
    MemoryRequirements,
)
from dml_vk.errors import DeviceError
from dml_vk.runtime.interface import MemoryKind
from dml_vk.runtime.vulkan.opened import Opened, Owned

_START, _ALL = c_uint64(0), c_uint64(2**64 - 1)  # VK_WHOLE_SIZE


class Block:
    """Memory, and the buffer over it. Kinds other than "device" are mapped."""

    def __init__(self, opened: Opened, nbytes: int, kind: MemoryKind) -> None:
        self.nbytes = nbytes
        self._buffer = Owned(
            opened,
            "vkCreateBuffer",
            byref(opened.buffer(nbytes, STORAGE_BUFFER | TRANSFERS)),
            nbytes=nbytes,
        )
        self.buffer = self._buffer.handle
        needs = MemoryRequirements()
        opened.calls.vkGetBufferMemoryRequirements(opened.handle, self.buffer, byref(needs))
        chosen = memory_types.choose(opened.memory, kind, needs.type_bits)
        if chosen is None:
            raise DeviceError("device", "the driver must have memory of this kind", kind=kind)
        request = MemoryAllocateInfo(nbytes=needs.nbytes, memory_type=chosen)
        self._memory = Owned(opened, "vkAllocateMemory", byref(request), nbytes=nbytes, kind=kind)
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
