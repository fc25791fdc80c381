"""VK_EXT_external_memory_host: pages of the host's memory that a device copies from and to."""

from __future__ import annotations

import ctypes
from collections.abc import Collection
from ctypes import c_void_p

from dml_vk.driver.vulkan import Chained, Instance

EXTENSION = "VK_EXT_external_memory_host"
HOST_ALLOCATION = 0x80  # VkExternalMemoryHandleTypeFlagBits: malloc's, and what else is mapped
CALLS = ("vkGetMemoryHostPointerPropertiesEXT",)
_u32, _u64 = ctypes.c_uint32, ctypes.c_uint64


class ImportMemoryHostPointerInfo(Chained):
    TYPE = 1000178000
    _fields_ = (("handle_type", _u32), ("pointer", c_void_p))


class MemoryHostPointerProperties(Chained):
    TYPE = 1000178001
    _fields_ = (("type_bits", _u32),)


class ExternalMemoryBufferCreateInfo(Chained):
    TYPE = 1000072000
    _fields_ = (("handle_types", _u32),)


class _Properties(Chained):
    """VkPhysicalDeviceExternalMemoryHostPropertiesEXT."""

    TYPE = 1000178002
    _fields_ = (("alignment", _u64),)


def extensions(listed: Collection[str]) -> tuple[str, ...]:
    """What must be enabled of the extensions that a device lists."""
    return (EXTENSION,) if EXTENSION in listed else ()


def alignment(instance: Instance, physical: c_void_p, listed: Collection[str]) -> int:
    """The unit of addresses and sizes of a device that lists these extensions, or 0."""
    properties = _Properties()
    if EXTENSION in listed:
        instance.properties(physical, properties)
    return int(properties.alignment)
