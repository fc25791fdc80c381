"""Settings from environment variables."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dml_vk.errors import DeviceError

LOGS = ("info", "debug", "summary", "off")
RUNTIMES = ("kompute", "vulkan")
MEMORY = ("staged", "bar")


def runtime() -> str:
    """Which runtime to open devices with: one of RUNTIMES, or "" for the best that is there."""
    return _one_of("DML_VK_RUNTIME", RUNTIMES)


def memory() -> str:
    """How to reach device memory, on every device: one of MEMORY, or "" for the best way.

    "staged": as if it were not host-visible; "bar": as if the host could only write it.
    """
    return _one_of("DML_VK_MEMORY", MEMORY)


def log() -> str:
    """What to log to stderr: "" for no more than a first use that takes long, or one of LOGS."""
    return _one_of("DML_VK_LOG", LOGS)


def exact() -> bool:
    """Whether results must be exact, unless the program says otherwise."""
    return _one_of("DML_VK_EXACT", ("0", "1")) != "0"


def memory_limit() -> int | None:
    """The maximum total size of the tensors' arenas, in bytes."""
    value = os.environ.get("DML_VK_MEMORY_LIMIT", "")
    if value and not value.isdecimal():
        rule = "DML_VK_MEMORY_LIMIT must be a number of bytes"
        raise DeviceError("device", rule, DML_VK_MEMORY_LIMIT=value)
    return int(value) if value else None


def saves() -> bool:
    """Whether kernels are kept on disk for other processes."""
    return os.environ.get("DML_VK_CACHE") != "off"


def cache_folder() -> Path:
    """Where this user's programs keep what they can make again; ours is not made yet."""
    moved = os.environ.get("DML_VK_CACHE", "")
    if moved not in ("", "off"):
        return Path(moved)
    if sys.platform == "win32":
        folder = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        folder = os.path.expanduser("~/Library/Caches")
    else:
        folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(folder) / "dml_vk"


def _one_of(name: str, choices: tuple[str, ...]) -> str:
    value = os.environ.get(name, "")
    if value not in ("", *choices):
        listed = ", ".join(map(repr, choices))
        raise DeviceError("device", f"{name} must be {listed} or unset", **{name: value})
    return value
