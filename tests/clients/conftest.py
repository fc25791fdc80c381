"""Other libraries on tensors, at pinned versions. Only asked for with --clients."""

from __future__ import annotations


def pytest_ignore_collect(collection_path, config):
    return None if config.getoption("clients") else True
