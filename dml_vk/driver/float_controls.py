"""The rules of float arithmetic that a driver can be told to keep, for each width of floats."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterable
from ctypes import c_void_p
from enum import IntEnum
from typing import NamedTuple

from dml_vk.driver.vulkan import Chained, Instance

EXTENSION = "VK_KHR_shader_float_controls"
WIDTHS = (16, 32, 64)
_u32 = ctypes.c_uint32


class Mode(IntEnum):
    """SPIR-V's execution modes. Their capabilities have numbers that are 5 larger."""

    DENORM_PRESERVE = 4459
    SIGNED_ZERO_INF_NAN_PRESERVE = 4461
    ROUNDING_MODE_RTE = 4462

    @property
    def capability(self) -> int:
        return self + 5


class Independence(IntEnum):
    """VkShaderFloatControlsIndependence: which widths may have a mode that others lack."""

    ONLY_32, ALL, NONE = range(3)

    def tied(self, width: int) -> Collection[int]:
        """The widths that must have the same mode as this one."""
        if self == Independence.ALL or (self == Independence.ONLY_32 and width == 32):
            return (width,)
        return WIDTHS if self == Independence.NONE else (16, 64)


class _Properties(Chained):
    """VkPhysicalDeviceFloatControlsProperties."""

    TYPE = 1000197000
    _fields_ = (
        ("denorm_independence", _u32),
        ("rounding_independence", _u32),
        ("signed_zero_inf_nan", _u32 * 3),
        ("denorm_preserve", _u32 * 3),
        ("_denorm_flush", _u32 * 3),
        ("rounding_rte", _u32 * 3),
        ("_rounding_rtz", _u32 * 3),
    )


class Control(NamedTuple):
    """A mode, the widths for which a device has it, and whether these may differ."""

    mode: Mode
    widths: tuple[int, ...]
    independence: Independence = Independence.ALL


class FloatControls(tuple[Control, ...]):
    """The modes that a device has."""

    __slots__ = ()

    def modes(self, used: Collection[int]) -> list[tuple[Mode, int]]:
        """The modes, each with a width, of a module that has floats of the widths `used`."""
        return [
            (control.mode, width)
            for control in self
            for width in sorted(used)
            if all(
                tied in control.widths for tied in control.independence.tied(width) if tied in used
            )
        ]


def extensions(listed: Collection[str]) -> tuple[str, ...]:
    """What must be enabled of the extensions that a device lists."""
    return (EXTENSION,) if EXTENSION in listed else ()


def find(instance: Instance, physical: c_void_p, listed: Collection[str]) -> FloatControls:
    """The modes that a device has which lists these extensions."""
    properties = _Properties()
    if EXTENSION in listed:
        instance.properties(physical, properties)

    def widths(listed: Iterable[int]) -> tuple[int, ...]:
        return tuple(width for width, has in zip(WIDTHS, listed) if has)

    denorms, rounding = map(
        Independence, (properties.denorm_independence, properties.rounding_independence)
    )
    return FloatControls(
        [
            Control(Mode.DENORM_PRESERVE, widths(properties.denorm_preserve), denorms),
            Control(Mode.SIGNED_ZERO_INF_NAN_PRESERVE, widths(properties.signed_zero_inf_nan)),
            Control(Mode.ROUNDING_MODE_RTE, widths(properties.rounding_rte), rounding),
        ]
    )
