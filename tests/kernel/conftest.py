import pytest

import dml_vk
from tests.kernel.test_device import open_anew
from tests.limits import LIMITS


@pytest.fixture(params=LIMITS)
def limits(request, monkeypatch):
    """Plans and launches for both kinds of devices, whichever this one is."""
    device, limits = dml_vk.device(), LIMITS[request.param]
    device.synchronize()
    monkeypatch.setattr(device, "limits", limits)
    monkeypatch.setattr(device.queue, "limits", limits)
    monkeypatch.setattr(device.queue, "_ready", {})
    yield limits
    device.synchronize()


@pytest.fixture(scope="module")
def staged():
    """A device whose memory the host does not see."""
    with pytest.MonkeyPatch.context() as patch:
        return open_anew(patch, DML_VK_MEMORY="staged")


@pytest.fixture(scope="module")
def seen():
    """One whose memory it sees, if this machine has any such."""
    with pytest.MonkeyPatch.context() as patch:
        return open_anew(patch)
