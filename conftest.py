"""What holds for all tests."""

from __future__ import annotations

import dataclasses
import gc
import os
from collections.abc import Generator

import pytest

from tests import kept, tier

pytest_plugins = ["tests.repeat", "tests.progress"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run all cases, not each promise once")
    parser.addoption("--large", action="store_true", help="run tests/large, which take gigabytes")
    parser.addoption("--clients", action="store_true", help="run tests/clients, for ./dev clients")
    parser.addoption("--gpu", action="store_true", help="plan and launch as for a discrete GPU")


def pytest_configure(config: pytest.Config) -> None:
    """Have kernels kept.

    SciPy reads what --clients asks for when it is imported.

    With --gpu, any device that is opened in this process is driven as the probe has an H200. The
    queue of its kernels stands for that of a copy engine too, by which then all bytes come and go.
    """
    tier.begin(is_all=config.getoption("all"))
    kept.keep()
    if config.getoption("clients"):
        os.environ["SCIPY_ARRAY_API"] = "1"
    if config.getoption("gpu"):
        from dml_vk.driver import queue_families
        from dml_vk.driver.probe import DeviceInfo
        from dml_vk.runtime import transfer

        own = DeviceInfo.profile.fget
        as_gpu = {"type": "discrete", "subgroup_size": 32}
        DeviceInfo.profile = property(lambda info: own(dataclasses.replace(info, **as_gpu)))
        queue_families.for_copies = lambda families, unified: first_with_kernels(families)
        transfer.SEND_BYTES = 1


def first_with_kernels(families):
    from dml_vk.driver.vulkan import COMPUTE

    return next(n for n, family in enumerate(families) if family.flags & COMPUTE)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Do not look for garbage meanwhile: what is collected stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to --all what is marked as a product of other tests.

    A reader types an example where nothing is imported, so that is where it runs.
    """
    left = [item for item in items if item.get_closest_marker("product") and not tier.is_all()]
    if left:
        tier.leave_out(len(left))
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in set(left)]
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.dtest is not None:
            item.dtest.globs = {"__name__": "__main__"}


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = tier.left_out()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: pytest.Item) -> None:
    """A process of xdist is done, which collects what all others do."""
    left_out = getattr(node, "workeroutput", {}).get("left_out", 0)
    tier.leave_out(max(left_out - tier.left_out(), 0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if tier.left_out():
        text = (
            f"--all runs {tier.left_out():,} more cases, and {tier.FEWER} times the random examples"
        )
        terminalreporter.write_sep("-", text)
