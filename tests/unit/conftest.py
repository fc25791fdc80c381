"""What all these tests share: kernels are made anew, and the queue's tests read no shader."""

from __future__ import annotations

import pytest

from dml_vk.kernels.codegen import library


@pytest.fixture(scope="module", autouse=True)
def _anew(makes_kernels):
    """Kernels of fakes must not be known to others."""


@pytest.fixture
def no_modules(monkeypatch):
    """Kernels without modules."""
    monkeypatch.setattr(library, "load_for", lambda module, spec, **given: b"")
