"""An opened Vulkan device, what is made on it, and when that may be destroyed."""

from __future__ import annotations

import os
from ctypes import POINTER, byref, c_uint32, cast

from dml_vk.driver import (
    features,
    float_controls,
    host_pointers,
    probe,
    queue_families,
    results,
)
from dml_vk.driver.calls import device_calls
from dml_vk.driver.logical_device import open_device
from dml_vk.driver.structures import Handle
from dml_vk.driver.vulkan import BufferCreateInfo

_CONCURRENT = 1  # VkSharingMode
_DESTROY = {"vkAllocateMemory": "vkFreeMemory", "vkCreateComputePipelines": "vkDestroyPipeline"}


class Opened:
    """A logical device with its queues, open until the process ends."""

    def __init__(self, info: probe.DeviceInfo) -> None:
        instance, physical = probe.physical(info)
        chosen = features.choose(instance, physical, info.extensions)
        self.features = chosen.names
        listed = info.extensions
        extensions = *chosen.extensions, *float_controls.extensions(listed)
        extensions = *extensions, *host_pointers.extensions(listed)
        families = instance.queue_families(physical)
        self.family = instance.queue_family(physical) or 0  # the probe has seen that there is one
        self.copy_family = queue_families.for_copies(families, info.unified)
        used = sorted({n for n in (self.family, self.copy_family) if n is not None})
        self._families = (c_uint32 * len(used))(*used)
        self.handle = open_device(instance, physical, used, extensions, chosen.structures)
        # Of addresses and sizes of the host's pages; 0 if the device takes none.
        self.host_alignment = host_pointers.alignment(instance, physical, listed)
        calls = host_pointers.CALLS if self.host_alignment else ()
        self.calls = device_calls(instance.vk, self.handle, calls)
        self.timestamp_bits: int = families[self.family].timestamp_bits
        self.properties = instance.properties(physical)
        self.memory = instance.memory(physical)
        # The process that may destroy what it has made: no forked child, and none that is ending.
        self.owner: int | None = os.getpid()
        self._lost: str | None = None  # the call that said so

    def buffer(self, nbytes: int, usage: int) -> BufferCreateInfo:
        """What a buffer is made by, which all queues use without handing it over."""
        info = BufferCreateInfo(nbytes=nbytes, usage=usage)
        if len(self._families) > 1:
            info.sharing, info.family_count = _CONCURRENT, len(self._families)
            info.families = cast(self._families, POINTER(c_uint32))
        return info

    def check(self, call: str, *arguments: object, **values: object) -> None:
        """Make a call that returns a VkResult; `values` are for the error."""
        result = getattr(self.calls, call)(*arguments)
        if result:
            self.fail(call, result, **values)

    def fail(self, call: str, result: int, **values: object) -> None:
        """Raise the error of a call."""
        if result == results.DEVICE_LOST:
            self._lost = call
        raise results.failure(call, result, **values)

    def check_alive(self) -> None:
        """Raise an error if the device was lost: not all calls would report it."""
        if self._lost:
            raise results.failure(self._lost, results.DEVICE_LOST)

    def destroy(self, call: str, handle: Handle) -> None:
        if self.owner is not None and self.owner == os.getpid():
            getattr(self.calls, call)(self.handle, handle, None)


class Owned:
    """An object made on a device. It is destroyed with its last reference."""

    # The driver writes into it, so it is known whenever Ctrl-C comes. Null until then.
    handle = Handle()

    def __init__(self, opened: Opened, call: str, *arguments: object, **values: object) -> None:
        """Call a function whose arguments are the device, these, None and the handle."""
        self._opened = opened
        self._destroy = _DESTROY.get(call) or call.replace("Create", "Destroy")
        self.handle = Handle()
        opened.check(call, opened.handle, *arguments, None, byref(self.handle), **values)

    def __del__(self) -> None:
        if self.handle:
            self._opened.destroy(self._destroy, self.handle)
