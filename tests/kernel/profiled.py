"""Plans and launches as for another device than there is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from dml_vk.array import calls
from dml_vk.limits import Profile
from dml_vk.runtime.device import Device


@contextlib.contextmanager
def profiled(device: Device, profile: Profile) -> Iterator[None]:
    """While it lasts, the device goes by this profile. Nothing that was made before is used."""
    device.synchronize()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device.queue.encoder, "profile", profile)
        patch.setattr(device.queue.encoder, "_known", {})
        patch.setattr(device.queue.encoder, "_same", {})
        patch.setattr(calls, "_traces", {})
        yield
        device.synchronize()
