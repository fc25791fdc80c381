"""`bench --gpu --beside`: each case beside NumPy, in place of a library that has a GPU."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest

import dml_vk
from dml_vk.__main__ import main
from dml_vk.commands.beside import measured, report
from dml_vk.commands.cases import libraries
from dml_vk.commands.cases.table import cases
from tests import tier

TABLE = {case.name: case for case in cases(1)}


class Numpy(libraries.NumPy):
    """In the place of CuPy, which has the same names."""

    name = "cupy"

    def array(self, values):
        return values.copy()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(measured, "SECONDS", 0)
    monkeypatch.setattr(measured, "LONG_SECONDS", 0)


@pytest.mark.parametrize("name", tier.some(sorted(TABLE), 6))
def test_a_case_runs_and_agrees_where_numpy_has_it(name):
    row = measured.measured(TABLE[name], [libraries.Ours(dml_vk.device()), Numpy()])
    found = row["dml_vk"]
    assert found["ms"] > 0
    assert ("rate" in found) == bool(TABLE[name].nbytes or TABLE[name].operations)
    assert all(difference <= 1e-2 for difference in row.get("differs", {}).values()), row


def test_the_table_has_each_name_once_at_every_scale():
    for scale in (1, 2, 64):
        names = [case.name for case in cases(scale)]
        assert len(set(names)) == len(names) > 60
    assert all(
        case.nbytes or case.operations or "tiny" in case.name or "float(" in case.name
        for case in TABLE.values()
    )


def test_what_fails_or_differs_is_told():
    class Broken(Numpy):
        def values(self, found):
            return super().values(found) + 1

    class Lost(Numpy):
        name = "torch"

        def array(self, values):
            raise RuntimeError("lost")

    ours = libraries.Ours(dml_vk.device())
    row = measured.measured(TABLE["add float16"], [ours, Broken(), Lost()])
    assert row["torch"] == {"error": "RuntimeError: lost"}
    told = report.failures({"cases": [row]})
    assert told[0].startswith("add float16: differs from cupy by ")
    assert len(told) == 1
    row = {"case": "x", "dml_vk": {"error": "DeviceError: lost"}, "differs": {"torch": "shapes"}}
    assert len(report.failures({"cases": [row]})) == 2
    page = report.as_markdown(
        {
            "libraries": {"dml_vk": "ours", "torch": "theirs"},
            "lacking": [],
            "size_mib": 4,
            "cases": [row],
        }
    )
    assert "| x | failed |" in page
    assert page.count("- FAILED: ") == 2


def test_times_are_of_the_first_call_of_one_and_of_many(monkeypatch):
    monkeypatch.setattr(measured, "SECONDS", 4.0)
    monkeypatch.setattr(measured, "LONG_SECONDS", 9.0)
    now, calls = [0.0], []

    def call():
        calls.append(1)
        now[0] += 9.0 if len(calls) == 1 else 1.0

    def wait():
        now[0] += 0.5

    found = measured.timed(call, wait, lambda: now[0])
    assert found == {"first_ms": 9500.0, "one_ms": 1500.0, "ms": pytest.approx(1166.67, rel=1e-3)}
    assert len(calls) == 3 + 3 * 3
    monkeypatch.setattr(measured, "LONG_SECONDS", 1.0)
    assert measured.timed(call, wait, lambda: now[0])["ms"] == 1500.0


def test_libraries_that_are_not_here_are_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cupy", None)
    torch = ModuleType("torch")  # of no use
    monkeypatch.setitem(sys.modules, "torch", torch)
    found, lacking = libraries.opened(("torch", "cupy"), dml_vk.device())
    assert [one.name for one in found] == ["dml_vk"]
    assert [why.partition(":")[0] for why in lacking] == ["torch", "cupy"]
    chosen = ["bench", "--gpu", "--beside", "cupy", "--size", "4", "--match", "^tiny"]
    assert main(chosen) == 0
    shown = capsys.readouterr().out
    assert "Left out: cupy: " in shown
    assert "| tiny a + b |" in shown


def test_json(tmp_path, capsys):
    file = tmp_path / "beside.json"
    chosen = ["bench", "--gpu", "--beside", "", "--size", "1", "--match", "^add (float16|int64)$"]
    assert main([*chosen, "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert [row["case"] for row in found["cases"]] == ["add float16", "add int64"]
    assert found["device"]["name"] == dml_vk.device().name
    capsys.readouterr()
    assert main([*chosen, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["libraries"].keys() == {"dml_vk"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--beside", "torch"], "--beside needs --gpu"),
        (["--gpu", "--beside", "jax"], "'jax' is none of torch, cupy"),
        (["--gpu", "--beside", "", "--match", "("], "no regular expression"),
    ],
)
def test_what_cannot_be_asked(given, told, capsys):
    try:
        status = main(["bench", *given])
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    assert told in capsys.readouterr().err
