import gc

import pytest

import dml_vk
from tests.kernel.profiled import profiled
from tests.kernel.runtime.test_device import open_by
from tests.profiles import PROFILES


def pytest_collection_finish(session):
    """Nothing goes that is there by now: many tests look at all that lives, again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(params=PROFILES)
def profile(request):
    """Plans and launches for both kinds of devices, whichever this one is."""
    with profiled(dml_vk.device(), PROFILES[request.param]):
        yield PROFILES[request.param]


@pytest.fixture(scope="module")
def staged():
    """A device whose memory the host does not see."""
    return open_by("staged")


@pytest.fixture(scope="module")
def seen():
    """One whose memory it sees, if this machine has any such."""
    return open_by("mapped")


@pytest.fixture(scope="module")
def bar():
    """One whose memory it only writes, if this machine has any such."""
    return open_by("bar")
