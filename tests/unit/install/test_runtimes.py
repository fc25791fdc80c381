"""The runtime that opens devices: the one that is asked for, else the best that is installed."""

from __future__ import annotations

from importlib import metadata

import pytest

from dml_vk.errors import DeviceError
from dml_vk.install import kp_version, runtimes


@pytest.mark.parametrize(
    ("installed", "expected"),
    [(kp_version.version(), "kompute"), (kp_version.KP, "vulkan"), (None, "vulkan")],
)
def test_kompute_is_chosen_where_it_is_installed_and_completed(monkeypatch, installed, expected):
    def version(package):
        assert package == "kp"
        if installed is None:
            raise metadata.PackageNotFoundError
        return installed

    monkeypatch.delenv("DML_VK_RUNTIME", raising=False)
    monkeypatch.setattr(metadata, "version", version)
    assert runtimes.chosen() == expected
    for name in ("kompute", "vulkan"):
        monkeypatch.setenv("DML_VK_RUNTIME", name)
        assert runtimes.chosen() == name


def test_a_runtime_that_is_not_there_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("DML_VK_RUNTIME", "cuda")
    with pytest.raises(
        DeviceError, match="'kompute', 'vulkan' or unset; got DML_VK_RUNTIME='cuda'"
    ):
        runtimes.chosen()
