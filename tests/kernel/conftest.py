import pytest

import dml_vk
from tests.kernel.profiled import profiled
from tests.kernel.runtime.test_device import open_anew
from tests.profiles import PROFILES


@pytest.fixture(params=PROFILES)
def profile(request):
    """Plans and launches for both kinds of devices, whichever this one is."""
    with profiled(dml_vk.device(), PROFILES[request.param]):
        yield PROFILES[request.param]


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
