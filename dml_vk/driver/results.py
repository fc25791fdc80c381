"""Vulkan's results as exceptions."""

from __future__ import annotations

from dml_vk.errors import DeviceError, DeviceMemoryError

NOT_READY, TIMEOUT, DEVICE_LOST = 1, 2, -4
_OUT_OF_MEMORY = {
    -1: "VK_ERROR_OUT_OF_HOST_MEMORY",
    -2: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
    -1000069000: "VK_ERROR_OUT_OF_POOL_MEMORY",
}
_NAMES = _OUT_OF_MEMORY | {
    DEVICE_LOST: "VK_ERROR_DEVICE_LOST",
    NOT_READY: "VK_NOT_READY",
    -3: "VK_ERROR_INITIALIZATION_FAILED",
    -5: "VK_ERROR_MEMORY_MAP_FAILED",
    -10: "VK_ERROR_TOO_MANY_OBJECTS",
    -12: "VK_ERROR_FRAGMENTED_POOL",
    -13: "VK_ERROR_UNKNOWN",
}


def failure(call: str, result: int, **values: object) -> DeviceError | DeviceMemoryError:
    """The error of a call that did not succeed; `values` are what it was called for."""
    told = {"call": call, "result": _NAMES.get(result, result), **values}
    if result in _OUT_OF_MEMORY:
        return DeviceMemoryError("device", "the driver must have memory for the call", **told)
    if result == DEVICE_LOST:
        rule = "the device was lost: only a new process can use it again"
        return DeviceError("device", rule, **told)
    return DeviceError("device", "the driver must carry out the call", **told)
