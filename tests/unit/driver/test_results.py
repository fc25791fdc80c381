"""What Vulkan's results are called, and which are a lack of memory."""

from __future__ import annotations

import pytest

from dml_vk.driver.results import failure
from dml_vk.errors import DeviceError, DeviceMemoryError


@pytest.mark.parametrize(
    ("result", "kind", "name"),
    [
        (-1, DeviceMemoryError, "VK_ERROR_OUT_OF_HOST_MEMORY"),
        (-2, DeviceMemoryError, "VK_ERROR_OUT_OF_DEVICE_MEMORY"),
        (-1000069000, DeviceMemoryError, "VK_ERROR_OUT_OF_POOL_MEMORY"),
        (-3, DeviceError, "VK_ERROR_INITIALIZATION_FAILED"),
        (-10, DeviceError, "VK_ERROR_TOO_MANY_OBJECTS"),
        (-987, DeviceError, -987),
    ],
)
def test_a_result_is_an_error_with_its_name(result, kind, name):
    error = failure("vkDo", result, nbytes=4)
    assert type(error) is kind
    assert error.got == {"call": "vkDo", "result": name, "nbytes": 4}


def test_a_lost_device_is_named_as_such():
    error = failure("vkDo", -4)
    assert type(error) is DeviceError
    assert str(error).startswith("device: the device was lost")
