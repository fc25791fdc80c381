"""What runs elsewhere: the workflows on GitHub, and the matrix of Pythons and NumPys."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import platform
import re
import sys
from pathlib import Path

import pytest
import yaml

from dml_vk.commands.verbs import VERBS as COMMANDS
from dml_vk.environment import RUNTIMES

ROOT = Path(__file__).parents[2]
WORKFLOWS = {path.name: path for path in (ROOT / ".github" / "workflows").iterdir()}
VERBS = set(re.findall(r"^\./dev (\w+)", (ROOT / "dev").read_text(), re.MULTILINE))


@pytest.fixture(scope="module")
def matrix():
    loader = importlib.machinery.SourceFileLoader("matrix", str(ROOT / ".ci" / "matrix"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("matrix", loader))
    loader.exec_module(module)
    return module


def steps(name: str) -> list[dict]:
    jobs = yaml.safe_load(WORKFLOWS[name].read_text())["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def commands(name: str) -> list[list[str]]:
    """The words of each command, except in steps that install what another system needs."""
    ran = [step["run"] for step in steps(name) if "run" in step and "Install" not in str(step)]
    return [line.split() for lines in ran for line in lines.splitlines()]


def elsewhere() -> dict[str, dict]:
    """The jobs for other systems than Linux."""
    jobs = yaml.safe_load(WORKFLOWS["ci.yml"].read_text())["jobs"]
    return {name: job for name, job in jobs.items() if "ubuntu" not in job["runs-on"]}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_each_command_of_a_workflow_exists(name):
    assert commands(name)
    for program, *arguments in commands(name):
        if program == "./dev":
            assert arguments[0] in VERBS
        elif program == "python":
            assert arguments[0] == "-m"
            assert arguments[1] in ("pip", "pytest", "dml_vk")
            assert arguments[1] != "dml_vk" or arguments[2] in COMMANDS
        elif program != "grep":
            assert os.access(ROOT / program, os.X_OK), program


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_and_nothing_may_write(name):
    text = WORKFLOWS[name].read_text()
    used = [step["uses"] for step in steps(name) if "uses" in step]
    pinned = re.findall(
        r"uses: (actions/[\w-]+@[0-9a-f]{40})  # v\d+\.\d+\.\d+$", text, re.MULTILINE
    )
    assert pinned == used != []
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    assert "secrets." not in text


def test_every_change_is_tried_as_everywhere_else(matrix):
    assert [".ci/run"] in commands("ci.yml")
    chosen = ["${{", "matrix.python", "}}", "${{", "matrix.numpy", "}}"]
    assert [".ci/matrix", *chosen] in commands("ci.yml")
    job = yaml.safe_load(WORKFLOWS["ci.yml"].read_text())["jobs"]["matrix"]
    told = [(one["python"], one["numpy"]) for one in job["strategy"]["matrix"]["include"]]
    assert told == matrix.COMBINATIONS


def test_jobs_for_other_systems_name_tests_and_marks_that_exist():
    shared = yaml.safe_load(WORKFLOWS["ci.yml"].read_text())["env"]
    project = (ROOT / "pyproject.toml").read_text()
    marks = set(re.findall(r'^  "(\w+): ', project.partition("markers = [")[2], re.MULTILINE))
    anywhere = set(shared["ANYWHERE"].replace("not ", "").split(" and "))
    assert anywhere == marks - {"product"}  # which --all runs, anywhere
    paths = [word.removeprefix("--ignore=") for word in shared["TESTS"].split()]
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert set(elsewhere()) == {"windows", "macos"}
    for job in elsewhere().values():
        run = [step.get("run", "") for step in job["steps"]]
        assert run[-1].endswith('-m "$ANYWHERE" $TESTS')
        assert job.get("defaults") == {"run": {"shell": "bash"}} or "macos" in job["runs-on"]
        assert job["env"]["DML_VK_RUNTIME"] in RUNTIMES


def test_downloads_are_pinned_and_checked_by_hash():
    for job in elsewhere().values():
        for step in job["steps"]:
            for line in step.get("run", "").splitlines():
                if "://" in line:
                    assert re.search(r"/\d+\.\d+\.\d+[./]", line), line
                    assert re.search(r" [0-9a-f]{64}$", line), line


def test_the_pythons_that_are_promised_are_tried(matrix):
    tried = sorted({python for python, _ in matrix.COMBINATIONS}, key=lambda one: int(one[2:]))
    project = (ROOT / "pyproject.toml").read_text()
    assert re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project) == tried
    assert f'requires-python = ">={tried[0]}"' in project
    assert 'dependencies = ["numpy>=1.26"]' in project
    assert ("3.10", "1.26") in matrix.COMBINATIONS


def test_the_matrix_runs_tests_that_exist(matrix):
    named = [word.partition("::")[0] for word in matrix.TESTS if not word.startswith("-")]
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_matrix_finds_pythons_and_says_where_there_is_none(matrix, monkeypatch):
    version = ".".join(platform.python_version_tuple()[:2])
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setenv("PYENV_ROOT", os.devnull)
    monkeypatch.setenv("PYTHONS", f"{os.devnull}{os.pathsep}{sys.executable}")
    assert matrix.find_python(version) == sys.executable
    assert matrix.find_python("2.7") is None
    assert matrix.attempt("2.7", "2", []) == (
        False,
        ["2.7", "2", *[""] * 3, "there is no such Python here"],
    )


def test_the_matrix_knows_what_wheels_there_are_not(matrix, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["matrix", "3.13", "1.26"])
    with pytest.raises(SystemExit) as end:
        matrix.main()
    assert end.value.code == 2
    assert "must be one of: 3.10 1.26, 3.10 2" in capsys.readouterr().err
