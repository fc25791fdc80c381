"""The mutants still fit the sources, and what tries them tells a fault that is seen from others."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from tests.mutants import MUTANTS, report
from tests.mutants.__main__ import choose
from tests.mutants.mutant import ROOT, Mutant, by_name
from tests.mutants.running import CAUGHT, SLIPPED, WRONG, Outcome, Runner, judged
from tests.mutants.tree import SPV, Tree

FAULT = Mutant("one", "adds one", "package.py", "VALUE = 1", "VALUE = 2", ("test_it.py",))


def test_there_are_enough_of_every_area():
    assert len(by_name(MUTANTS)) == len(MUTANTS) >= 60
    areas = "strides kernels/plan kernels/codegen dml_vk/spirv glsl runtime array compiler"
    for area in (*areas.split(), "onnx", "dask", "nn", "linalg"):
        assert sum(area in one.file for one in MUTANTS) >= 3, area


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.name)
def test_each_still_applies(mutant):
    changed = mutant.applied((ROOT / mutant.file).read_text())
    assert mutant.before != mutant.after
    assert mutant.before.count("\n") < 5, "a fault is small"
    if mutant.file.endswith(".py"):
        compile(changed, mutant.file, "exec")
    else:
        assert mutant.is_shader


def test_the_tests_of_each_are_there():
    for mutant in MUTANTS:
        assert mutant.tests, mutant.name
        for test in mutant.tests:
            path, _, function = test.partition("::")
            assert (ROOT / path).exists(), (mutant.name, path)
            if function:
                assert f"def {function}(" in (ROOT / path).read_text(), (mutant.name, test)


def test_text_that_is_there_twice_or_never_is_refused():
    with pytest.raises(ValueError, match="2 times"):
        FAULT.applied("VALUE = 1\nVALUE = 1\n")
    with pytest.raises(ValueError, match="0 times"):
        FAULT.applied("")
    with pytest.raises(ValueError, match="two mutants"):
        by_name([FAULT, FAULT])


@pytest.fixture
def tree(tmp_path):
    """A copy of a small tree with a test."""
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / "package.py").write_text("VALUE = 1\n")
    (root / "test_it.py").write_text(
        "import package\n\ndef test_it():\n    assert package.VALUE == 1\n"
    )
    (root / "test_other.py").write_text("def test_other():\n    pass\n")
    (root / "test_hangs.py").write_text("import signal\nsignal.pause()\n")
    (root / ".gitignore").write_text("left_out\n")
    (root / "left_out").write_text("")
    return Tree(tmp_path / "copy", root)


def test_a_tree_has_the_fault_for_a_while(tree):
    path = tree.folder / "package.py"
    assert not (tree.folder / "left_out").exists()
    with tree.mutated(FAULT):
        assert path.read_text() == "VALUE = 2\n"
    assert path.read_text() == "VALUE = 1\n"
    with pytest.raises(KeyError), tree.mutated(FAULT):
        raise KeyError
    assert path.read_text() == "VALUE = 1\n"


def test_a_fault_is_caught_or_slips(tree):
    runner = Runner(limit=600.0)
    found = runner.run(tree, FAULT)
    assert (found.outcome, found.by) == (CAUGHT, "test_it.py::test_it")
    found = runner.run(tree, replace(FAULT, tests=("test_other.py",)))
    assert (found.outcome, found.by) == (SLIPPED, "")
    found = runner.run(tree, replace(FAULT, before="VALUE = 7"))
    assert found.outcome == WRONG


def test_a_hang_is_cut(tree):
    found = Runner(limit=0.5).run(tree, replace(FAULT, tests=("test_hangs.py",)))
    assert (found.outcome, found.by) == (CAUGHT, "the time limit")


def test_modules_of_a_shader_are_built_and_put_back(tree, monkeypatch):
    folder = tree.folder / SPV
    folder.mkdir(parents=True)
    (folder / "old.spv").write_bytes(b"old")
    shader = tree.folder / "glsl" / "one.comp"
    shader.parent.mkdir()
    shader.write_text("1")

    def build(self, mutant):
        assert shader.read_text() == "2"
        (folder / "old.spv").write_bytes(b"new")
        (folder / "more.spv").write_bytes(b"more")

    monkeypatch.setattr(Tree, "_build", build)
    with tree.mutated(replace(FAULT, file="glsl/one.comp", before="1", after="2")):
        assert (folder / "old.spv").read_bytes() == b"new"
    assert [one.name for one in folder.iterdir()] == ["old.spv"]
    assert (folder / "old.spv").read_bytes() == b"old"
    assert shader.read_text() == "1"


@pytest.mark.parametrize(
    ("status", "output", "outcome", "by"),
    [
        (0, "3 passed", SLIPPED, ""),
        (1, "FAILED tests/a.py::test\n1 failed", CAUGHT, "tests/a.py::test"),
        (2, "ERROR tests/a.py - ImportError: no\n1 error", CAUGHT, "tests/a.py"),
        (4, "ImportError while loading conftest 'tests/conftest.py'.", CAUGHT, "status 4"),
        (4, "ERROR: file or directory not found: tests/b.py", WRONG, ""),
        (4, "ERROR: not found: tests/a.py::test_b", WRONG, ""),
        (4, "pytest: error: unrecognized arguments: --all", WRONG, ""),
        (5, "no tests ran in 0.01s", WRONG, ""),
        (-11, "Fatal Python error: Segmentation fault", CAUGHT, "status -11"),
        (None, "", CAUGHT, "the time limit"),
    ],
)
def test_what_pytest_says_is_judged(status, output, outcome, by):
    assert judged(status, output)[:2] == (outcome, by)


def test_outcomes_are_compared_with_those_of_an_earlier_run(tmp_path):
    now = [
        Outcome("a", "f", CAUGHT, "t", "", "own", 1.0),
        Outcome("b", "f", SLIPPED, "", "3 passed", "own", 2.0),
        Outcome("c", "f", CAUGHT, "t", "", "all", 3.0),
    ]
    report.write(tmp_path / "now.json", now)
    assert report.read(tmp_path / "now.json") == {"a": CAUGHT, "b": SLIPPED, "c": CAUGHT}
    before = {"a": CAUGHT, "b": CAUGHT, "c": SLIPPED}
    said = report.compared(before, now)
    assert said.splitlines()[0] == "1 of 2 that were caught before are caught"
    assert "lost: b" in said
    assert "new: c" in said
    assert report.summary(now) == "3 mutants: 2 caught, 1 slipped; 6 s"
    assert report.row(now[2]).endswith("t (all)")
    assert "3 passed" in report.row(now[1])


def test_mutants_are_chosen_by_name_and_pattern():
    first = MUTANTS[0]
    assert choose([], None) == list(MUTANTS)
    assert choose([first.name], None) == [first]
    memory = "dml_vk/compiler/passes/memory.py"
    assert {one.file for one in choose([], "passes/memory")} == {memory}
    for names, pattern in (["no such"], None), ([], "no such"):
        with pytest.raises(SystemExit, match="no such"):
            choose(names, pattern)


def test_the_command_lists_them():
    command = [sys.executable, "-m", "tests.mutants", "--list", MUTANTS[0].name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{MUTANTS[0].name} ")
    assert MUTANTS[0].what in done.stdout
