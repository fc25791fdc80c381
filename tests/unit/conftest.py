"""What the queue's tests share: no shader is read."""

from __future__ import annotations

import pytest

from dml_vk.kernels.spirv import library


@pytest.fixture
def no_modules(monkeypatch):
    """Kernels without modules, which are named on disk by what is in these."""
    monkeypatch.setenv("DML_VK_CACHE", "off")
    monkeypatch.setattr(library, "load_for", lambda module, spec: b"")
