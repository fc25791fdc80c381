"""What the queue's tests share: no shader is read."""

from __future__ import annotations

import pytest

from dml_vk.kernels.spirv import library


@pytest.fixture
def no_modules(monkeypatch):
    monkeypatch.setattr(library, "load_for", lambda module, spec: b"")
