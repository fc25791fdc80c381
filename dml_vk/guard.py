"""Whether memory can be had now, asked before Kompute asks: a refusal would kill it."""

from __future__ import annotations

import ctypes
import mmap
import os
from ctypes import byref, c_float, c_uint64, c_void_p

from dml_vk import probe, ram, vulkan
from dml_vk.errors import DeviceError, explain
from dml_vk.probe import DeviceInfo

# The driver's own compiler aborts the process when it runs out: it takes 16 MiB for a small
# kernel on llvmpipe, and the C library maps 64 MiB for each thread that allocates. Tensors leave
# more than a kernel asks for, so that what is there can still be worked with.
_SLACK_BYTES = 192 * 2**20
_KERNEL_BYTES = 64 * 2**20

# What Kompute asks of the memory of its `host` and its `storage` tensors, and their buffers' usage.
_HOST = (vulkan.HOST_VISIBLE | vulkan.HOST_COHERENT, vulkan.STORAGE_BUFFER | 1 | 2)
_STORAGE = (vulkan.DEVICE_LOCAL, vulkan.STORAGE_BUFFER)


FORKED = (
    "a forked child must not use the device of its parent: start it by spawn, or fork before the "
    "first use"
)
_owner: int | None = None  # the process that opened a device


class Guard:
    """A second device on the same hardware, to try allocations on.

    It needs no closing, and in a forked child it refuses everything.
    """

    def __init__(self, info: DeviceInfo) -> None:
        global _owner
        if _owner not in (None, os.getpid()):
            # Drivers wait at exit for threads that a fork did not copy.
            raise DeviceError(explain("device", FORKED, pid=_owner))
        instance = vulkan.instance()
        if info not in probe.devices():
            raise DeviceError(explain("device", "the device must still be there", device=str(info)))
        physical = instance.physical_devices[info.index]
        self._pid = _owner = os.getpid()
        self._vk = instance.vk
        self._unified = info.unified
        self._memory = instance.memory(physical)
        self._device = _open(instance, physical)
        self._types = {True: self._type(*_HOST), False: self._type(*_STORAGE)}

    def refusal(self, nbytes: int, host_visible: bool, held_bytes: int = 0) -> str | None:
        """Why a tensor of that size cannot be had now, or None.

        `held_bytes` is what the caller has of that kind already. It counts where a heap is the
        device's own: where memory is the host's, drivers report heaps smaller than what they give,
        and the host says what is left.
        """
        if os.getpid() != self._pid:
            return "this process was forked from the one that opened the device"
        memory_type = self._types[host_visible]
        if memory_type is None:
            return "the device has no such memory"
        heap = self._memory.heaps[self._memory.types[memory_type].heap]
        in_ram = self._unified or not heap.flags & vulkan.DEVICE_LOCAL
        room = heap.nbytes - (0 if in_ram else held_bytes)
        if nbytes > room:
            return f"the device's heap of {_mib(heap.nbytes)} has room for {_mib(max(room, 0))}"
        refusal = _no_ram(nbytes, _SLACK_BYTES) if in_ram else None
        if refusal is not None:
            return refusal
        result = self._trial(memory_type, nbytes, _SLACK_BYTES)
        return f"the driver has no more (VkResult {result})" if result else None

    def no_slack(self) -> str | None:
        """Why the driver may lack the memory that it needs to compile a kernel, or None.

        Asked of the system and not of the driver, some of which touch all that they are asked for.
        """
        try:
            mmap.mmap(-1, _KERNEL_BYTES).close()
        except OSError:
            return f"this process has less than {_mib(_KERNEL_BYTES)} to spare for its compiler"
        return _no_ram(0, _KERNEL_BYTES)

    def _trial(self, memory_type: int, *sizes: int) -> int:
        """The VkResult of allocating all these at once; they are freed again."""
        taken: list[c_uint64] = []
        result = 0
        for nbytes in sizes:
            request = vulkan.MemoryAllocateInfo(
                type=vulkan.MemoryAllocateInfo.TYPE, nbytes=nbytes, memory_type=memory_type
            )
            memory = c_uint64()
            result = self._vk.vkAllocateMemory(self._device, byref(request), None, byref(memory))
            if result:
                break
            taken.append(memory)
        for memory in taken:
            self._vk.vkFreeMemory(self._device, memory, None)
        return result

    def _type(self, flags: int, usage: int) -> int | None:
        """The memory type that Kompute takes: the first that is allowed and has the flags."""
        request = vulkan.BufferCreateInfo(
            type=vulkan.BufferCreateInfo.TYPE, nbytes=256, usage=usage
        )
        buffer, needs = c_uint64(), vulkan.MemoryRequirements()
        failure = self._vk.vkCreateBuffer(self._device, byref(request), None, byref(buffer))
        if failure:
            raise DeviceError(explain("device", "the device must make a buffer", result=failure))
        self._vk.vkGetBufferMemoryRequirements(self._device, buffer, byref(needs))
        self._vk.vkDestroyBuffer(self._device, buffer, None)
        allowed = (
            n
            for n in range(self._memory.type_count)
            if needs.type_bits >> n & 1 and self._memory.types[n].flags & flags == flags
        )
        return next(allowed, None)


def _open(instance: vulkan.Instance, physical: c_void_p) -> c_void_p:
    queue = vulkan.QueueCreateInfo(
        type=vulkan.QueueCreateInfo.TYPE,
        family=instance.queue_family(physical),
        count=1,
        priorities=(c_float * 1)(1.0),
    )
    request = vulkan.DeviceCreateInfo(
        type=vulkan.DeviceCreateInfo.TYPE, queue_count=1, queues=ctypes.pointer(queue)
    )
    device = c_void_p()
    failure = instance.vk.vkCreateDevice(physical, byref(request), None, byref(device))
    if failure:
        raise DeviceError(explain("device", "the device must open", result=failure))
    return device


def _no_ram(nbytes: int, slack: int) -> str | None:
    left = ram.available_bytes()
    if left is None or nbytes + slack <= left:
        return None
    return f"the host has {_mib(left)} left, of which {_mib(slack)} stay free"


def _mib(nbytes: int) -> str:
    return f"{nbytes / 2**20:,.0f} MiB"
