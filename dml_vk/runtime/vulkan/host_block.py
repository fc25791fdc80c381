"""Pages of the host's memory, from and to which the device copies where they are."""

from __future__ import annotations

import mmap
from ctypes import byref, c_uint64, c_void_p

from dml_vk.driver import memory_types
from dml_vk.driver.host_pointers import (
    HOST_ALLOCATION,
    ExternalMemoryBufferCreateInfo,
    ImportMemoryHostPointerInfo,
    MemoryHostPointerProperties,
)
from dml_vk.driver.vulkan import (
    TRANSFERS,
    MemoryAllocateInfo,
    MemoryRequirements,
    chain,
)
from dml_vk.errors import DeviceError, DeviceMemoryError
from dml_vk.runtime.vulkan.opened import Opened, Owned

_START = c_uint64(0)


class HostBlock:
    """A buffer over whole pages of the host, whose owner it keeps alive."""

    def __init__(self, opened: Opened, address: int, nbytes: int, owner: object) -> None:
        self.address, self.nbytes = address, nbytes
        request = opened.buffer(nbytes, TRANSFERS)
        external = ExternalMemoryBufferCreateInfo(handle_types=HOST_ALLOCATION)
        chain(request, external)
        self._buffer = Owned(opened, "vkCreateBuffer", byref(request), nbytes=nbytes)
        self.buffer = self._buffer.handle
        memory = MemoryAllocateInfo(nbytes=nbytes, memory_type=self._type(opened))
        pages = ImportMemoryHostPointerInfo(handle_type=HOST_ALLOCATION, pointer=address)
        chain(memory, pages)
        self._memory = Owned(opened, "vkAllocateMemory", byref(memory), nbytes=nbytes)
        handle = self._memory.handle
        opened.check("vkBindBufferMemory", opened.handle, self.buffer, handle, _START)
        self._owner = owner  # Attributes go in this order, the pages last.

    def _type(self, opened: Opened) -> int:
        """A memory type that both the pages and the buffer can have."""
        pages, needs = MemoryHostPointerProperties(), MemoryRequirements()
        opened.calls.vkGetBufferMemoryRequirements(opened.handle, self.buffer, byref(needs))
        opened.check(
            "vkGetMemoryHostPointerPropertiesEXT",
            *(opened.handle, HOST_ALLOCATION, c_void_p(self.address), byref(pages)),
        )
        allowed = pages.type_bits & needs.type_bits if needs.nbytes <= self.nbytes else 0
        chosen = memory_types.choose(opened.memory, "readback", allowed)
        if chosen is None:
            raise DeviceError("device", "the driver must have memory of this kind", kind="readback")
        return chosen


def import_pages(opened: Opened, address: int, nbytes: int, owner: object) -> HostBlock | None:
    """A block over all pages that contain these bytes, or None where the driver takes none such.

    Drivers may refuse pages of files, pages that are only read, and more than they can pin.
    """
    unit = opened.host_alignment
    if not unit:
        return None
    low, high = address // unit * unit, -(-(address + nbytes) // unit) * unit
    if unit > mmap.PAGESIZE and (low, high) != (address, address + nbytes):
        return None  # The pages around may not exist.
    try:
        return HostBlock(opened, low, high - low, owner)
    except (DeviceError, DeviceMemoryError):
        return None
