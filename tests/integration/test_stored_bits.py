"""The stored table is right, and a device that differs from it is found out.

What NumPy computes exactly is compared with it; functions and draws are in test_same_bits.py; of
the rest one dtype is computed anew, a few with --all, and all with DML_VK_EVERY_WAY=1.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests import tier
from tests.real_dtypes import DTYPES
from tests.stored_bits import __main__ as command
from tests.stored_bits import table
from tests.stored_bits.cases import cases

# There are no such things.
LEFT_OUT = {"arange-bool_", "integers-bool_"}
FEW = tier.some(("float32", "int64", "uint8"), 1)
ANEW = tuple(DTYPES) if "DML_VK_EVERY_WAY" in os.environ else FEW


def compared(names):
    found, stored = table.Comparison(), table.stored()
    for name in names:
        found.add(name, *stored[name])
    return found


def test_the_table_has_every_case():
    assert set(cases()) - set(table.stored()) == LEFT_OUT
    assert set(table.stored()) <= set(cases())
    page = Path(__file__).parents[2] / "docs" / "benchmarks.md"
    assert f"{len(table.stored()):,} cases" in page.read_text()


def test_numpy_has_what_is_stored_of_exact_cases():
    stored, exact = table.stored(), 0
    for name, case in cases().items():
        if case.exact is not None:
            given = case.operands()
            assert stored[name] == [table.digest(given), table.digest([case.exact(given)])], name
            exact += 1
    assert exact > 600


SUBNORMAL = {
    "add": lambda x: x + x[::-1],
    "subtract": lambda x: x - x[:, ::-1],
    "multiply": lambda x: x * np.float32(0.7),
    "divide": lambda x: x / np.float32(3),
    "ratio": lambda x: x / x[:, ::-1],
    "scaled": lambda x: x * np.float32(2.0**120),
    "shrunk": lambda x: x * np.float32(2.0**120) * np.float32(2.0**-125),
    "sqrt": lambda x: np.sqrt(abs(x)),
    "less": lambda x: x < x[::-1],
    "maximum": lambda x: np.maximum(x, x[:, :, ::-1]),
    "float16": lambda x: (x * np.float32(2.0**110)).astype(np.float16),
    "float64": lambda x: x.astype(np.float64),
    "from_float64": lambda x: (x.astype(np.float64) * 0.7).astype(np.float32),
    "sort": lambda x: np.sort(x, axis=1),
}


@pytest.mark.parametrize("name", SUBNORMAL)
def test_numpy_has_what_is_stored_of_subnormals(name):
    whole = f"subnormal-{name}-float32"
    (x,) = cases()[whole].operands()
    found = SUBNORMAL[name](x)
    assert table.stored()[whole][1] == table.digest([found.view(f"u{found.itemsize}")])


@pytest.mark.parametrize(("keeps", "count"), [(True, 1), (False, 0)])
def test_subnormals_are_compared_where_a_device_keeps_them(keeps, count, monkeypatch):
    monkeypatch.setattr(table, "keeps_subnormals", lambda: keeps)
    digests = table.stored()["subnormal-multiply-float32"]
    found = table.Comparison()
    found.add("subnormal-multiply-float32", digests[0], "of a device that gives 0")
    assert (found.compared, len(found.wrong)) == (count, count)


@pytest.mark.parametrize("dtype", ANEW)
def test_the_device_has_what_is_stored_of_the_rest(dtype):
    operators = [name for name, case in cases().items() if case.exact is None]
    names = [name for name in operators if name.endswith(f"-{dtype}") and name in table.stored()]
    found = compared(names)
    assert (found.wrong, found.errors, found.kept) == ([], [], {})
    assert found.compared > 20


@pytest.fixture
def flipped(monkeypatch):
    """A device on which the eleventh element of each result has another last bit."""
    right = table.computed

    def wrong(name):
        given, found = right(name)
        found = found.copy()
        found.reshape(-1)[10] ^= 1
        return given, found

    monkeypatch.setattr(table, "computed", wrong)


def test_a_wrong_bit_is_told_and_explained(flipped, tmp_path, capsys):
    told, kept = tmp_path / "told.json", tmp_path / "wrong.npz"
    names = ["add-int32", "exp-float32", "sum-float32", "astype-int8-float32"]
    assert command.main(["compare", "--cases", *names, f"--json={told}", f"--wrong={kept}"]) == 1
    exact, function, reduction, cast = json.loads(told.read_text())["wrong"]
    assert (exact["case"], exact["first"], exact["differ"]) == ("add-int32", 10, 1)
    assert int(exact["found"]) ^ 1 == int(exact["expected"])
    assert len(exact["operands"]) == 2
    assert function["ulps"] >= 1
    assert reduction == {"case": "sum-float32", "of": 74}
    assert (cast["first"], cast["differ"]) == (10, 1)
    assert capsys.readouterr().out.endswith("\n4 compared, 4 wrong\n")
    assert command.main(["explain", str(kept)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == names
    assert all("'differ': 1" in line and "'first': 10" in line for line in lines)


def test_what_cannot_be_compared_is_told(monkeypatch):
    def broken(name):
        if name == "add-int8":
            raise OSError("lost")
        return [np.zeros(3)], np.zeros(3)

    monkeypatch.setattr(table, "computed", broken)
    found = compared(["add-int8", "add-int16"])
    assert found.errors[0] == "add-int8: OSError: lost"
    assert "other operands" in found.errors[1]
    assert (found.kept, found.wrong) == ({}, [])


def test_what_was_found_before_ctrl_c_is_told(monkeypatch, tmp_path):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(table, "computed", interrupted)
    told = tmp_path / "told.json"
    assert command.main(["compare", f"--json={told}"]) == 1
    (error,) = json.loads(told.read_text())["errors"]
    assert error.startswith(f"stopped after 1 of {len(table.stored())} cases")


def test_few_wrong_results_are_kept(flipped, monkeypatch):
    monkeypatch.setattr(table, "MOST_KEPT", 100_000)
    found = compared(["add-int8", "add-int32", "add-int64"])
    assert (len(found.wrong), list(found.kept)) == (3, ["add-int8", "add-int32"])


def test_differences_are_told_as_far_as_they_go():
    one = np.arange(4, dtype=np.uint8)
    assert table.first_difference([], one, one.reshape(2, 2))["expected"] == "uint8(2, 2)"
    assert table.first_difference([], one, one) == {"differ": 0, "of": 4}
    assert table.digest([one]) != table.digest([one.reshape(2, 2)])
    assert table.digest([one]) != table.digest([one.astype(np.int8)])
    assert table.as_text({"a": ["1", "2"]}) == '{\n"a": ["1", "2"]\n}\n'
