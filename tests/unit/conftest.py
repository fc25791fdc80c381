"""What the queue's tests share: no shader is read."""

from __future__ import annotations

import pytest

from dml_vk.kernels import shaders


@pytest.fixture
def no_modules(monkeypatch):
    monkeypatch.setattr(shaders, "load", lambda module: b"")
