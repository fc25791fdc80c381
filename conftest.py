"""What holds for all tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--large", action="store_true", help="run tests/large, which take gigabytes")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A reader types an example where nothing is imported, so that is where it runs."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.dtest is not None:
            item.dtest.globs = {"__name__": "__main__"}
