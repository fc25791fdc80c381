"""Test whether memory can be allocated before Kompute does: it crashes if that fails."""

from __future__ import annotations

import mmap
import os
from ctypes import byref, c_uint64

from dml_vk.driver import host_memory, probe, vulkan
from dml_vk.driver.logical_device import open_device
from dml_vk.driver.probe import DeviceInfo
from dml_vk.errors import DeviceError

# Drivers' compilers abort the process when they run out of memory: llvmpipe's takes 16 MiB for a
# small kernel, and the C library maps 64 MiB for each thread that allocates. Allocations of tensors
# leave more than that free, so that kernels for existing tensors can still be compiled.
_SLACK_BYTES = 192 * 2**20
_KERNEL_BYTES = 64 * 2**20

# Memory properties and buffer usage of Kompute's `host` and `storage` tensors.
_HOST = (vulkan.HOST_VISIBLE | vulkan.HOST_COHERENT, vulkan.STORAGE_BUFFER | vulkan.TRANSFERS)
_STORAGE = (vulkan.DEVICE_LOCAL, vulkan.STORAGE_BUFFER)


FORKED = (
    "a forked child cannot use its parent's device: start it by spawn, or fork before the first use"
)
_owner: int | None = None  # the process that opened a device


class Guard:
    """A second logical device on the same hardware, to try allocations on.

    It is never closed, and in a forked child it refuses everything.
    """

    def __init__(self, info: DeviceInfo) -> None:
        global _owner
        if _owner not in (None, os.getpid()):
            # Drivers wait at exit for threads that a fork did not copy.
            raise DeviceError("device", FORKED, pid=_owner)
        instance, physical = probe.physical(info)
        self._pid = _owner = os.getpid()
        self._vk = instance.vk
        self._unified = info.unified
        self._memory = instance.memory(physical)
        self._device = open_device(instance, physical)
        self._types = {True: self._type(*_HOST), False: self._type(*_STORAGE)}

    def refusal(self, nbytes: int, host_visible: bool, held_bytes: int = 0) -> str | None:
        """The reason why a tensor of that size cannot be allocated now, or None.

        `held_bytes` is what the caller has allocated of that kind. It is subtracted from heaps of
        device memory. For host memory, drivers report smaller heaps than they can allocate, so
        there only the host's free memory counts.
        """
        if os.getpid() != self._pid:
            return "this process was forked from the one that opened the device"
        memory_type = self._types[host_visible]
        if memory_type is None:
            return "the device has no memory of this type"
        heap = self._memory.heaps[self._memory.types[memory_type].heap]
        in_ram = self._unified or not heap.flags & vulkan.DEVICE_LOCAL
        free = heap.nbytes - (0 if in_ram else held_bytes)
        if nbytes > free:
            return f"the device's heap of {_mib(heap.nbytes)} has {_mib(max(free, 0))} free"
        refusal = _no_ram(nbytes, _SLACK_BYTES) if in_ram else None
        if refusal is not None:
            return refusal
        result = self._trial(memory_type, nbytes, _SLACK_BYTES)
        return f"the driver refused (VkResult {result})" if result else None

    def no_slack(self) -> str | None:
        """The reason why the driver may lack memory to compile a kernel, or None.

        It asks the system, not the driver, because some drivers touch all memory they allocate.
        """
        try:
            mmap.mmap(-1, _KERNEL_BYTES).close()
        except OSError:
            return f"this process has less than {_mib(_KERNEL_BYTES)} free for the compiler"
        return _no_ram(0, _KERNEL_BYTES)

    def _trial(self, memory_type: int, *sizes: int) -> int:
        """The VkResult of allocating these sizes together; they are freed again."""
        taken: list[c_uint64] = []
        result = 0
        for nbytes in sizes:
            request = vulkan.MemoryAllocateInfo(nbytes=nbytes, memory_type=memory_type)
            memory = c_uint64()
            result = self._vk.vkAllocateMemory(self._device, byref(request), None, byref(memory))
            if result:
                break
            taken.append(memory)
        for memory in taken:
            self._vk.vkFreeMemory(self._device, memory, None)
        return result

    def _type(self, flags: int, usage: int) -> int | None:
        """The memory type that Kompute uses: the first that is allowed and has the flags."""
        request = vulkan.BufferCreateInfo(nbytes=256, usage=usage)
        buffer, needs = c_uint64(), vulkan.MemoryRequirements()
        failure = self._vk.vkCreateBuffer(self._device, byref(request), None, byref(buffer))
        if failure:
            raise DeviceError("device", "cannot create a buffer on the device", result=failure)
        self._vk.vkGetBufferMemoryRequirements(self._device, buffer, byref(needs))
        self._vk.vkDestroyBuffer(self._device, buffer, None)
        allowed = (
            n
            for n in range(self._memory.type_count)
            if needs.type_bits >> n & 1 and self._memory.types[n].flags & flags == flags
        )
        return next(allowed, None)


def _no_ram(nbytes: int, slack: int) -> str | None:
    left = host_memory.available_bytes()
    if left is None or nbytes + slack <= left:
        return None
    return f"the host has {_mib(left)} free, of which {_mib(slack)} are reserved"


def _mib(nbytes: int) -> str:
    return f"{nbytes / 2**20:,.0f} MiB"
