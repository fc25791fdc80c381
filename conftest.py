"""What holds for all tests."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A reader types an example where nothing is imported, so that is where it runs."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.dtest is not None:
            item.dtest.globs = {"__name__": "__main__"}
