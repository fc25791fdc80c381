"""Opening a logical device, and what is said if that fails."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dml_vk.driver.logical_device import open_device
from dml_vk.errors import DeviceError


def test_a_device_that_does_not_open_is_an_error():
    vk = SimpleNamespace(vkCreateDevice=lambda *given: -3)
    instance = SimpleNamespace(vk=vk)
    with pytest.raises(DeviceError, match="cannot open the device; got result=-3"):
        open_device(instance, instance, [0])
