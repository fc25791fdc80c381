"""What an operation plans, for tests that want to know which plan they have tested."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def planned(monkeypatch: pytest.MonkeyPatch, operation: ModuleType, name: str) -> list[Any]:
    """All results of a function that plans, from now on, where an operation calls it."""
    plan, made = getattr(operation, name), []

    def spy(*given, **named):
        made.append(plan(*given, **named))
        return made[-1]

    monkeypatch.setattr(operation, name, spy)
    return made
