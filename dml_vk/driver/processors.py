"""How many processors of a device run workgroups, where its driver says it."""

from __future__ import annotations

import ctypes
from collections.abc import Collection
from ctypes import c_void_p

from dml_vk.driver.vulkan import Chained, Instance

_u32 = ctypes.c_uint32


class _OfNvidia(Chained):
    """VkPhysicalDeviceShaderSMBuiltinsPropertiesNV."""

    TYPE = 1000154001
    _fields_ = (("processors", _u32), ("_warps", _u32))

    @property
    def count(self) -> int:
        return int(self.processors)


class _OfAmd(Chained):
    """VkPhysicalDeviceShaderCorePropertiesAMD."""

    TYPE = 1000185000
    _fields_ = (("engines", _u32), ("arrays", _u32), ("units", _u32), ("_others", _u32 * 11))

    @property
    def count(self) -> int:
        """All compute units: those of an array, times the arrays of an engine, times engines."""
        return int(self.engines * self.arrays * self.units)


_BY_EXTENSION: dict[str, type[_OfNvidia | _OfAmd]] = {
    "VK_NV_shader_sm_builtins": _OfNvidia,
    "VK_AMD_shader_core_properties": _OfAmd,
}


def find(instance: Instance, physical: c_void_p, listed: Collection[str]) -> int:
    """The processors of a device that lists these extensions, or 0 if none of them tells."""
    for extension, structure in _BY_EXTENSION.items():
        if extension in listed:
            properties = structure()
            instance.properties(physical, properties)
            return properties.count
    return 0
