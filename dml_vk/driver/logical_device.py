"""Opening a logical device with a queue of each family that is used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ctypes import byref, c_char_p, c_float, c_void_p

from dml_vk.driver import vulkan
from dml_vk.driver.vulkan import Chained, DeviceCreateInfo, Instance, QueueCreateInfo
from dml_vk.errors import DeviceError


def open_device(
    instance: Instance,
    physical: c_void_p,
    families: Iterable[int],
    extensions: Sequence[str] = (),
    features: Sequence[Chained] = (),
) -> c_void_p:
    """Open a logical device with these extensions and features, and one queue of each family."""
    priorities = (c_float * 1)(1.0)
    queues = [QueueCreateInfo(family=n, count=1, priorities=priorities) for n in families]
    names = [name.encode() for name in extensions]
    request = DeviceCreateInfo(
        queue_count=len(queues),
        queues=(QueueCreateInfo * len(queues))(*queues),
        extension_count=len(names),
        extensions=(c_char_p * len(names))(*names),
    )
    vulkan.chain(request, *features)
    device = c_void_p()
    failure = instance.vk.vkCreateDevice(physical, byref(request), None, byref(device))
    if failure:
        raise DeviceError("device", "cannot open the device", result=failure)
    return device
