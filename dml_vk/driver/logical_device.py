"""Opening a logical device with one queue."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_float, c_void_p

from dml_vk.driver import vulkan
from dml_vk.driver.vulkan import Chained, DeviceCreateInfo, Instance, QueueCreateInfo
from dml_vk.errors import DeviceError


def open_device(
    instance: Instance,
    physical: c_void_p,
    extensions: Sequence[str] = (),
    features: Sequence[Chained] = (),
) -> c_void_p:
    """Open a logical device with these extensions and features, and one queue of `queue_family`."""
    queue = QueueCreateInfo(
        family=instance.queue_family(physical), count=1, priorities=(c_float * 1)(1.0)
    )
    names = [name.encode() for name in extensions]
    request = DeviceCreateInfo(
        queue_count=1,
        queues=ctypes.pointer(queue),
        extension_count=len(names),
        extensions=(c_char_p * len(names))(*names),
    )
    vulkan.chain(request, *features)
    device = c_void_p()
    failure = instance.vk.vkCreateDevice(physical, byref(request), None, byref(device))
    if failure:
        raise DeviceError("device", "cannot open the device", result=failure)
    return device
