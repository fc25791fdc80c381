"""What a run that fails says at its end."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from tests import repeat
from tests.unit.suite.runs import run

TESTS = """
import pytest
@pytest.fixture
def broken():
    yield
    raise OSError
@pytest.mark.parametrize("n", range(3))
def test_one(n): assert n != 1
def test_two(broken): assert False
def test_three(): pass
"""
OF_TESTS = ["'test_some.py::test_one[1]'", "test_some.py::test_two"]


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids="-".join)
def test_each_failure_has_the_command_that_repeats_it(tmp_path, processes):
    said = run(
        *(tmp_path, TESTS, "--gpu", *processes),
        DML_VK_TESTS_VERB="test",
        DML_VK_RUNTIME="vulkan",
        DML_VK_CACHE="off",
    )
    lines = [line for line in said if "./dev" in line]
    assert sorted(lines) == [f"DML_VK_RUNTIME=vulkan ./dev test --gpu {one}" for one in OF_TESTS]


def test_a_file_that_cannot_be_imported_is_named_and_a_run_that_passes_says_nothing(tmp_path):
    assert "python -m pytest test_some.py" in run(tmp_path, "import nothing_of_this_name")
    assert not any("python -m pytest" in line for line in run(tmp_path, "def test_one(): pass"))


def test_what_it_prints_repeats_the_test(tmp_path):
    said = run(tmp_path, TESTS)
    (words,) = [line.split() for line in said if "python -m pytest 'test_some.py::" in line]
    again = run(tmp_path, TESTS, words[-1].strip("'"))
    assert [line for line in again if line.startswith("=")][-1].split()[1:3] == ["1", "failed"]


@pytest.mark.parametrize(
    ("environment", "options", "expected"),
    [
        ({}, (), "python -m pytest"),
        ({"DML_VK_TESTS_VERB": "gpu", "DML_VK_RUNTIME": "kompute"}, (), None),
        ({"DML_VK_TESTS_VERB": "test"}, ("all", "large"), "./dev test --all --large"),
        ({"DML_VK_TESTS_VERB": "docs"}, (), "./dev test"),
        ({"DML_VK_TESTS_VERB": "staged", "DML_VK_MEMORY": "staged"}, (), "./dev staged"),
        ({"DML_VK_TESTS_VERB": "test", "DML_VK_MEMORY": "bar"}, (), "DML_VK_MEMORY=bar ./dev test"),
        ({"DML_VK_TESTS_VERB": "validate", "DML_VK_VALIDATE": "1"}, (), "./dev validate"),
        (
            {"DML_VK_TESTS_VERB": "swiftshader", "VK_DRIVER_FILES": "/a.json"},
            (),
            "./dev swiftshader",
        ),
        (
            {"DML_VK_TESTS_VERB": "test", "VK_DRIVER_FILES": "/a b.json"},
            (),
            "VK_DRIVER_FILES='/a b.json' ./dev test",
        ),
        ({"DML_VK_TESTS_VERB": "clients"}, ("clients",), "./dev clients"),
        ({"DML_VK_TESTS_CACHE": "/x", "DML_VK_CACHE": "/y"}, ("gpu",), "python -m pytest --gpu"),
    ],
)
def test_the_command_is_that_of_the_run(monkeypatch, environment, options, expected):
    monkeypatch.setattr(os, "environ", environment)
    config = SimpleNamespace(getoption=lambda name, otherwise: name in options or otherwise)
    assert repeat._command(config) == (expected or "DML_VK_RUNTIME=kompute python -m pytest")
