"""Other libraries on tensors, at pinned versions. Only asked for with --clients."""

from __future__ import annotations

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy reads it when it is imported


def pytest_ignore_collect(collection_path, config):
    return None if config.getoption("clients") else True
