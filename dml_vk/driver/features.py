"""The optional features of a device: 8, 16 and 64-bit types, which are enabled, and others."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from ctypes import byref, c_void_p
from typing import NamedTuple

from dml_vk.driver import vulkan
from dml_vk.driver.vulkan import Chained, Instance

_u32 = ctypes.c_uint32


class _Core(Chained):
    """VkPhysicalDeviceFeatures2."""

    TYPE = 1000059000
    _fields_ = (
        ("_before", _u32 * 39),
        ("shaderFloat64", _u32),
        ("shaderInt64", _u32),
        ("shaderInt16", _u32),
        ("_after", _u32 * 13),
    )


class _Storage16(Chained):
    TYPE = 1000083000
    _fields_ = (("storageBuffer16BitAccess", _u32), ("_others", _u32 * 3))


class _Storage8(Chained):
    TYPE = 1000177000
    _fields_ = (("storageBuffer8BitAccess", _u32), ("_others", _u32 * 2))


class _Arithmetic(Chained):
    """VkPhysicalDeviceShaderFloat16Int8Features."""

    TYPE = 1000082000
    _fields_ = (("shaderFloat16", _u32), ("shaderInt8", _u32))


class _CooperativeMatrix(Chained):
    TYPE = 1000506000
    _fields_ = (("cooperativeMatrix", _u32), ("_others", _u32 * 1))


def _names(structure: type[Chained]) -> list[str]:
    return [name for name, *_ in structure._fields_ if not name.startswith("_")]


# Structure -> the extension that it needs in Vulkan 1.1.
_STRUCTURES: dict[type[Chained], str | None] = {
    _Core: None,
    _Storage16: None,
    _Storage8: "VK_KHR_8bit_storage",
    _Arithmetic: "VK_KHR_shader_float16_int8",
}
# What no kernel uses yet is only told.
_TOLD: dict[type[Chained], str | None] = {_CooperativeMatrix: "VK_KHR_cooperative_matrix"}
NAMES = tuple(sorted(name for structure in _STRUCTURES for name in _names(structure)))
# A driver on top of another API must have this enabled if it lists it.
_PORTABILITY = "VK_KHR_portability_subset"


class Features(NamedTuple):
    """Features by name, and what enables them when the device is opened."""

    names: frozenset[str]
    extensions: tuple[str, ...]
    structures: tuple[Chained, ...]


def choose(instance: Instance, physical: c_void_p, extensions: Iterable[str]) -> Features:
    """Choose all features in NAMES that a device with these extensions has."""
    listed = frozenset(extensions)
    supported = _find(instance, physical, listed, _STRUCTURES)
    return Features(
        frozenset(name for names in supported.values() for name in names),
        tuple(
            name
            for name in (*map(_STRUCTURES.__getitem__, supported), _PORTABILITY)
            if name is not None and name in listed
        ),
        tuple(kind(**dict.fromkeys(names, 1)) for kind, names in supported.items()),
    )


def names_of(instance: Instance, physical: c_void_p, extensions: Iterable[str]) -> tuple[str, ...]:
    """All features that a device with these extensions has, of those that are known here."""
    supported = _find(instance, physical, frozenset(extensions), {**_STRUCTURES, **_TOLD})
    return tuple(sorted(name for names in supported.values() for name in names))


def _find(
    instance: Instance,
    physical: c_void_p,
    extensions: frozenset[str],
    structures: dict[type[Chained], str | None],
) -> dict[type[Chained], list[str]]:
    """The features by the structure that enables them."""
    kinds = [kind for kind, needed in structures.items() if needed in {None, *extensions}]
    filled = [kind() for kind in kinds]
    vulkan.chain(*filled)
    instance.vk.vkGetPhysicalDeviceFeatures2(physical, byref(filled[0]))
    return {
        type(structure): [name for name in _names(type(structure)) if getattr(structure, name)]
        for structure in filled
    }
