"""What the environment says of how devices are to be used, checked."""

from __future__ import annotations

import logging
import os

from dml_vk.errors import DeviceError, explain

_LOG_LEVELS = {"info": logging.INFO, "debug": logging.DEBUG}


def staged() -> bool:
    """Device memory is to be kept apart from the host's, wherever it really is."""
    value = os.environ.get("DML_VK_MEMORY", "")
    if value not in ("", "staged"):
        must = "DML_VK_MEMORY must be 'staged' or unset"
        raise DeviceError(explain("device", must, DML_VK_MEMORY=value))
    return value == "staged"


def memory_limit() -> int | None:
    """The most bytes that arenas of tensors may take."""
    value = os.environ.get("DML_VK_MEMORY_LIMIT", "")
    if value and not value.isdecimal():
        must = "DML_VK_MEMORY_LIMIT must be a number of bytes"
        raise DeviceError(explain("device", must, DML_VK_MEMORY_LIMIT=value))
    return int(value) if value else None


def log_level() -> int | None:
    """What is to be told on stderr: nothing, long work, or each dispatch."""
    value = os.environ.get("DML_VK_LOG", "")
    if value not in ("", *_LOG_LEVELS):
        must = "DML_VK_LOG must be 'info', 'debug' or unset"
        raise DeviceError(explain("device", must, DML_VK_LOG=value))
    return _LOG_LEVELS.get(value)
