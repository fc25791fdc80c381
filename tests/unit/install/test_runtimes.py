"""The runtime that opens devices: the one that is asked for, else the best that is installed."""

from __future__ import annotations

import sys

import pytest

from dml_vk.errors import DeviceError
from dml_vk.install import kp_version, runtimes

COMPLETED, STOCK = kp_version.version(), kp_version.KP


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ([], "vulkan"),
        ([STOCK], "vulkan"),
        ([COMPLETED], "kompute"),
        (["", COMPLETED], "kompute"),
        ([COMPLETED, STOCK], "kompute"),
        ([STOCK, COMPLETED], "vulkan"),
    ],
)
def test_kompute_is_chosen_if_the_first_on_the_path_is_completed(
    monkeypatch, tmp_path, installed, expected
):
    folders = [tmp_path / str(count) for count in range(len(installed))]
    for folder, version in zip(folders, installed):
        (folder / (f"kp-{version}.dist-info" if version else "pip-1.0.dist-info")).mkdir(
            parents=True
        )
    monkeypatch.delenv("DML_VK_RUNTIME", raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "missing"), *map(str, folders)])
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
