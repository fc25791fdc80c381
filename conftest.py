"""What holds for all tests."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--large", action="store_true", help="run tests/large, which take gigabytes")
    parser.addoption("--clients", action="store_true", help="run tests/clients, for ./dev clients")
    parser.addoption("--gpu", action="store_true", help="plan and launch as for a discrete GPU")


def pytest_configure(config: pytest.Config) -> None:
    """Keep kernels for this run alone: its processes share what each of them would make again.

    .ci/run has a folder for all its runs. Tests of the cache say themselves where it is.

    SciPy reads what --clients asks for when it is imported.

    With --gpu, any device that is opened in this process is driven as the probe has an H200.
    """
    if not hasattr(config, "workerinput"):  # a worker has the folder of the process that made it
        folder = os.environ.get("DML_VK_TESTS_CACHE", "")
        if not folder:
            folder = tempfile.mkdtemp(prefix="dml_vk-tests-")
            config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        os.environ["DML_VK_CACHE"] = folder
    if config.getoption("clients"):
        os.environ["SCIPY_ARRAY_API"] = "1"
    if config.getoption("gpu"):
        from dml_vk.driver.probe import DeviceInfo

        own = DeviceInfo.profile.fget
        as_gpu = {"type": "discrete", "subgroup_size": 32}
        DeviceInfo.profile = property(lambda info: own(dataclasses.replace(info, **as_gpu)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A reader types an example where nothing is imported, so that is where it runs."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.dtest is not None:
            item.dtest.globs = {"__name__": "__main__"}
