"""CONTRIBUTING.md adds one thing of each kind: what it shows, made to a copy of this tree."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHANGE = re.compile(r"^```diff\n\+\+\+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = {
    title: CHANGE.findall(text)
    for title, _, text in [
        section.partition("\n") for section in (ROOT / "CONTRIBUTING.md").read_text().split("\n## ")
    ]
}
OPERATOR = SECTIONS["An operator, start to finish"]
REDUCTION = SECTIONS["A reduction, start to finish"]
NETWORK = SECTIONS["A function for networks"]
KERNEL = SECTIONS["A kernel of its own"]
# What says that one of each kind is not everywhere yet.
_OF_ALL = {
    *("tests/unit/test_made_files.py", "tests/unit/kernels/codegen/test_library.py"),
    "tests/integration/test_site.py",
}
OF_OPERATORS = {
    *("tests/unit/kernels/test_operator_table.py", "tests/kernel/ops/test_special_values.py"),
    *_OF_ALL,
}
OF_REDUCTIONS = {"tests/unit/kernels/test_reduction_table.py", *_OF_ALL}
OF_NETWORKS = {"tests/kernel/nn/test_every_function.py", *_OF_ALL}
OF_KERNELS = _OF_ALL
FOLLOWING = [
    *("tests/unit/test_public_names.py", "tests/unit/test_aliases.py"),
    *("tests/kernel/ops/test_accuracy.py", "tests/kernel/ops/test_elementwise.py"),
    *("tests/kernel/ops/test_reduce.py", "tests/kernel/nn/test_gates.py"),
]
MISSED = "hard_shrink or parity or glu or spread or what_it_is_never_asked or test_values"
MISSED += " or all_functions or up_to_date or from_these_sources or has_one_entry"
# The variants of kernels that change, or are new.
BUILT = {f"float_arithmetic_{variant}" for variant in ("words_32", "packed_16", "tile_32")}
BUILT |= {"double_arithmetic_words_64"}
BUILT |= {f"reduce_int_{way}" for way in ("along", "across", "team", "team_across")}
BUILT |= {"van_der_corput_words_float32"}
USE = """
import numpy as np, dml_vk as dv
values = np.float32([-np.inf, -1.5, -1e-45, -0.0, 0.0, 1e-45, 2.0, np.inf, np.nan, 65520])
for kind in (np.float16, np.float32, np.float64):
    with np.errstate(over="ignore"):
        a, b = values.astype(kind)[:, None], values.astype(kind)
    x = dv.asarray(a)
    found = dv.hard_shrink(x, dv.asarray(b)).numpy()
    expected = np.where(np.abs(a) <= b, kind(0), a)
    assert found.dtype == expected.dtype == kind
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(expected))
array = np.arange(60).reshape(3, 4, 5) % 7 % 3
x = dv.asarray(array)
for axis in (None, 1, (0, 2)):
    expected = np.count_nonzero(array, axis) % 2 == 1
    assert np.array_equal(dv.parity(x, axis).numpy(), expected)
    assert np.array_equal(x.parity(axis).numpy(), expected)
    assert np.array_equal(np.logical_xor.reduce(x, axis=axis).numpy(), expected)
print(dv.__file__)
"""


def apply(tree: Path, name: str, change: str) -> None:
    """What is there is found in the file, once, and replaced; or the file is new."""
    lines = [(line[0], line[1:]) for line in change.splitlines(keepends=True)]
    assert {mark for mark, _ in lines} <= {" ", "+", "-"}
    before = "".join(line for mark, line in lines if mark != "+")
    after = "".join(line for mark, line in lines if mark != "-")
    text = (tree / name).read_text() if before else ""
    if before:
        assert text.count(before) == 1, f"{name} has not once:\n{before}"
    else:
        assert not (tree / name).exists()
    (tree / name).write_text(text.replace(before, after) if before else after)


def python(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)


def failing(tree: Path, *arguments: str) -> set[str]:
    """The files in which a test fails, or that cannot be collected."""
    options = ("-q", "-p", "no:cacheprovider", "--tb=line", "--continue-on-collection-errors")
    done = python(tree, "-m", "pytest", *options, *arguments)
    files = re.findall(r"^(?:FAILED|ERROR) ([\w/.]+)", done.stdout, re.MULTILINE)
    assert (done.returncode == 0) == (not files), done.stdout + done.stderr
    return set(files)


@pytest.fixture
def tree(tmp_path) -> Path:
    ignore = shutil.ignore_patterns("*.new")
    for name in ("dml_vk", "glsl", "tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_what_the_page_adds_works_and_the_tests_say_what_is_missing(tree):
    (operator, *cases), (reduction, *others) = OPERATOR, REDUCTION
    function, module, name, *values = NETWORK
    *kernel, test, entry = KERNEL
    assert operator[0].startswith("dml_vk/kernels/operators/")
    assert reduction[0] == "dml_vk/kernels/reductions.py"
    assert len(NETWORK) <= 6
    for change in (operator, reduction, function, module, name, *kernel, test):
        apply(tree, *change)
    files = {*OF_OPERATORS, *OF_REDUCTIONS, *OF_NETWORKS, *OF_KERNELS, test[0]}
    assert failing(tree, *files, "-k", MISSED) == files
    for change in (*cases, *others, *values, entry):
        apply(tree, *change)
    shaders, made = [
        python(tree, "-m", module)
        for module in ("dml_vk.kernels.codegen.library", "tests.made_files")
    ]
    assert set(re.findall(r"^built (\w+)$", shaders.stdout, re.MULTILINE)) == BUILT, shaders.stderr
    assert made.returncode == 0, made.stderr
    assert failing(tree, *files, *FOLLOWING, "-k", f"{MISSED} or same_names") == set()
    done = python(tree, "-c", USE)
    assert done.stdout.strip() == str(tree / "dml_vk" / "__init__.py"), done.stderr


def test_a_diff_that_does_not_apply_is_noticed(tree):
    name, change = OPERATOR[0]
    there = change.splitlines()[0][1:]
    (tree / name).write_text((tree / name).read_text().replace(there, f"{there}  # changed"))
    with pytest.raises(AssertionError, match=r"arithmetic\.py has not once"):
        apply(tree, name, change)
