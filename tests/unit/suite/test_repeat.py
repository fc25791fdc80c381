"""What a run that fails says at its end."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from tests import repeat
from tests.hanging import HANGING
from tests.unit.suite.runs import ROOT, run

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


@pytest.mark.linux
@pytest.mark.parametrize("verb", ["test", "staged", "clients", "bench"])
def test_dev_tells_which_verb_runs_and_takes_the_name_of_a_test(tmp_path, verb):
    """In a copy whose environment is there, and whose Python says what it was called with."""
    recipe = ["pyproject.toml", "dev", "dml_vk/install/system.py", "dml_vk/install/build_kp.py"]
    patches = sorted((ROOT / "dml_vk/install/kompute").glob("*.patch"))
    recipe += [str(path.relative_to(ROOT)) for path in patches]
    for name in recipe:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    whole = f"{tmp_path}\n".encode() + b"".join((tmp_path / name).read_bytes() for name in recipe)
    project = (tmp_path / "pyproject.toml").read_bytes()
    for folder, stamp in (
        (".venv", f"{hashlib.sha256(whole).hexdigest()}  -"),
        (".venv/clients", f"{hashlib.sha256(project).hexdigest()}  pyproject.toml"),
    ):
        python = tmp_path / folder / "bin" / "python"
        python.parent.mkdir(parents=True)
        (tmp_path / folder / "ready").write_text(f"{stamp}\n")
        python.write_text('#!/bin/sh\necho "$DML_VK_TESTS_VERB" "$@"\n')
        python.chmod(0o755)
    name = f"{'bench' if verb == 'bench' else f'tests/{verb}'}/test_some.py::test_one[3-int8]"
    done = subprocess.run(
        ["./dev", verb, name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGING,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()[-1].split()
    assert (told[0], told[-1]) == (verb, name)
    assert [word for word in told if "/" in word] == [name], "nothing else runs"
    assert verb in repeat.VERBS
    assert all(one.lstrip("-") in (ROOT / "dev").read_text() for one in repeat.VERBS[verb])
