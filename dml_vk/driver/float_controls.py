"""The rules of float arithmetic that a driver can be told to keep, for each width of floats."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Mapping
from ctypes import c_void_p
from dataclasses import dataclass
from enum import IntEnum

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


@dataclass(frozen=True, eq=False)
class FloatControls:
    """The modes that a device has."""

    widths: Mapping[Mode, frozenset[int]]  # for which it has each mode
    independence: Mapping[Mode, Independence]

    def modes(self, used: Collection[int]) -> list[tuple[Mode, int]]:
        """The modes, each with a width, of a module that has floats of the widths `used`."""
        return [
            (mode, width)
            for mode, has in self.widths.items()
            for width in sorted(used)
            if all(one in has for one in self.independence[mode].tied(width) if one in used)
        ]

    def lacking(self, width: int) -> list[str]:
        """The names of the modes that the device lacks for this width."""
        return [mode.name for mode in Mode if width not in self.widths[mode]]


def extensions(listed: Collection[str]) -> tuple[str, ...]:
    """What must be enabled of the extensions that a device lists."""
    return (EXTENSION,) if EXTENSION in listed else ()


def find(instance: Instance, physical: c_void_p, listed: Collection[str]) -> FloatControls:
    """The modes that a device has which lists these extensions."""
    found = _Properties()
    if EXTENSION in listed:
        instance.properties(physical, found)

    def widths(listed: Collection[int]) -> frozenset[int]:
        return frozenset(width for width, has in zip(WIDTHS, listed) if has)

    return FloatControls(
        {
            Mode.DENORM_PRESERVE: widths(found.denorm_preserve),
            Mode.SIGNED_ZERO_INF_NAN_PRESERVE: widths(found.signed_zero_inf_nan),
            Mode.ROUNDING_MODE_RTE: widths(found.rounding_rte),
        },
        {
            Mode.DENORM_PRESERVE: Independence(found.denorm_independence),
            Mode.SIGNED_ZERO_INF_NAN_PRESERVE: Independence.ALL,
            Mode.ROUNDING_MODE_RTE: Independence(found.rounding_independence),
        },
    )
