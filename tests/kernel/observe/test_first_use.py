"""A first use that takes long is told once, to a person at a terminal."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

import dml_vk
from dml_vk.observe import first_use
from dml_vk.runtime import pipelines, submitted
from tests.chance import chance


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def stderr(monkeypatch):
    """A terminal, and a process that has compiled nothing yet."""
    fresh = first_use.FirstUse()
    for module in (pipelines, submitted):
        monkeypatch.setattr(module, "first_use", fresh)
    monkeypatch.setattr(first_use, "LONG_SECONDS", 0.0)
    monkeypatch.delenv("DML_VK_LOG", raising=False)
    monkeypatch.setenv("DML_VK_CACHE", "somewhere")
    found = Terminal()
    monkeypatch.setattr(first_use, "sys", SimpleNamespace(stderr=found))
    return found


SOURCE = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float a[]; };
layout(push_constant) uniform Push { uint a_base; };
void main() { a[a_base] = NUMBER; }
"""


def never_made():
    """A call of a kernel that was never made: its number is one of its constants."""
    kernel = dml_vk.kernel(SOURCE.replace("NUMBER", repr(float(chance().normal()))))
    x = dml_vk.zeros(1)
    kernel(x, groups=1)
    return x.item()


def test_it_is_told_once(stderr):
    never_made()
    said = stderr.getvalue()
    assert said.startswith("dml_vk: compiling kernels for the first use of ")
    assert said.endswith(", cached for next time\n")
    never_made()
    assert stderr.getvalue() == said


def test_without_a_cache_it_promises_none(stderr, monkeypatch):
    monkeypatch.setenv("DML_VK_CACHE", "off")
    never_made()
    assert stderr.getvalue().count("\n") == 1
    assert "next time" not in stderr.getvalue()


@pytest.mark.parametrize("log", ["off", "info", "summary"])
def test_who_asks_for_a_log_or_none_is_not_told(stderr, monkeypatch, log):
    monkeypatch.setenv("DML_VK_LOG", log)
    never_made()
    assert stderr.getvalue() == ""


def test_files_and_pipes_are_not_told(stderr, monkeypatch):
    monkeypatch.setattr(stderr, "isatty", lambda: False)
    never_made()
    assert stderr.getvalue() == ""
    monkeypatch.setattr(first_use, "sys", SimpleNamespace(stderr=None))
    monkeypatch.setattr(pipelines, "first_use", first_use.FirstUse())
    never_made()


def test_only_what_takes_longer_than_expected_counts(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(first_use, "sys", SimpleNamespace(stderr=terminal))
    monkeypatch.delenv("DML_VK_LOG", raising=False)
    one = first_use.FirstUse()
    one.ran(60.0, 50.0)  # mostly work
    one.kernel_built(0.4)
    one.ran(0.5, 0.01)
    assert terminal.getvalue() == ""
    one.kernel_built(0.2)
    assert "first use of" in terminal.getvalue()
