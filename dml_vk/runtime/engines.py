"""Open devices with the chosen runtime; in a forked child, exit without their drivers."""

from __future__ import annotations

import ctypes

from dml_vk.driver.probe import DeviceInfo
from dml_vk.install import runtimes
from dml_vk.runtime.interface import Runtime
from dml_vk.runtime.kompute import Kompute
from dml_vk.runtime.vulkan.engine import Vulkan


def open_runtime(info: DeviceInfo) -> Runtime:
    """Open a device with the chosen runtime."""
    return Kompute(info) if runtimes.chosen() == "kompute" else Vulkan(info)


def exit_without_drivers() -> None:
    """Make this process, a forked child, exit before its drivers' exit handlers run.

    They wait for threads that a fork did not copy. Handlers run in reverse order of registration;
    `on_exit` passes the status as the first argument, just as `_exit` takes it. Only glibc has it;
    elsewhere nothing is done: macOS and musl have no handler that knows the status.
    """
    libc = ctypes.CDLL(None)  # Windows, where this would fail, has no fork
    if hasattr(libc, "on_exit"):
        libc.on_exit(libc._exit, None)
        libc.on_exit(libc.fcloseall, None)
