"""Settings from environment variables."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dml_vk.errors import DeviceError

LOGS = ("info", "debug", "summary")
RUNTIMES = ("kompute", "vulkan")
MEMORY = ("staged", "bar")


def runtime() -> str:
    """Which runtime to open devices with: one of RUNTIMES, or "" for the best that is there."""
    value = os.environ.get("DML_VK_RUNTIME", "")
    if value not in ("", *RUNTIMES):
        rule = "DML_VK_RUNTIME must be 'kompute', 'vulkan' or unset"
        raise DeviceError("device", rule, DML_VK_RUNTIME=value)
    return value


def memory() -> str:
    """How to reach device memory, on every device: one of MEMORY, or "" for the best way.

    "staged": as if it were not host-visible; "bar": as if the host could only write it.
    """
    value = os.environ.get("DML_VK_MEMORY", "")
    if value not in ("", *MEMORY):
        rule = "DML_VK_MEMORY must be 'staged', 'bar' or unset"
        raise DeviceError("device", rule, DML_VK_MEMORY=value)
    return value


def memory_limit() -> int | None:
    """The maximum total size of the tensors' arenas, in bytes."""
    value = os.environ.get("DML_VK_MEMORY_LIMIT", "")
    if value and not value.isdecimal():
        rule = "DML_VK_MEMORY_LIMIT must be a number of bytes"
        raise DeviceError("device", rule, DML_VK_MEMORY_LIMIT=value)
    return int(value) if value else None


def log() -> str:
    """What to log to stderr: "" for nothing, or one of LOGS."""
    value = os.environ.get("DML_VK_LOG", "")
    if value not in ("", *LOGS):
        rule = "DML_VK_LOG must be 'info', 'debug', 'summary' or unset"
        raise DeviceError("device", rule, DML_VK_LOG=value)
    return value


def exact() -> bool:
    """Whether results must be exact, unless the program says otherwise."""
    value = os.environ.get("DML_VK_EXACT", "")
    if value not in ("", "0", "1"):
        rule = "DML_VK_EXACT must be '0', '1' or unset"
        raise DeviceError("device", rule, DML_VK_EXACT=value)
    return value != "0"


def cache_folder() -> Path:
    """Where this user's programs keep what they can make again; ours is not made yet."""
    if sys.platform == "win32":
        folder = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        folder = os.path.expanduser("~/Library/Caches")
    else:
        folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(folder) / "dml_vk"
