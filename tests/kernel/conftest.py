import pytest

import dml_vk
from tests.limits import LIMITS


@pytest.fixture(params=LIMITS)
def limits(request, monkeypatch):
    """Plans for both kinds of devices, whichever this one is."""
    monkeypatch.setattr(dml_vk.device(), "limits", LIMITS[request.param])
    return LIMITS[request.param]
