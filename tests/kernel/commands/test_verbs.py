"""The verbs that need a device: the demo checks what it shows, bench what it times."""

from __future__ import annotations

import dataclasses
import json
import sys
import xml.etree.ElementTree as ElementTree
from functools import partial

import pytest

import dml_vk
from dml_vk.__main__ import main
from dml_vk.commands import bench, demo, tour
from dml_vk.commands.cases import table
from dml_vk.commands.cases.against_numpy import Both
from dml_vk.install import system

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """As few rounds as there may be, and not a word of how long they take."""
    monkeypatch.setattr(bench, "Progress", partial(bench.Progress, patience=float("inf")))
    monkeypatch.setattr(bench, "SECONDS", 0)
    monkeypatch.setattr(demo, "CASES", ["copy", "philox_bits"])


@pytest.fixture
def wrong_copy(monkeypatch):
    """NumPy seems to copy something else."""
    right = table.against_numpy

    def wrong(sizes):
        cases = right(sizes)
        into = dataclasses.replace(cases["copy"].into, numpys=lambda xp, out, x: x + 1)
        return {**cases, "copy": dataclasses.replace(cases["copy"], into=into)}

    monkeypatch.setattr(table, "against_numpy", wrong)


def test_the_demo_does_its_job_and_says_so(capsys, tmp_path):
    file = tmp_path / "photo.png"
    assert main(["demo", "--save", str(file)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Device: {dml_vk.device().name} ")
    lines = [line for step in tour.STEPS for line in step.code.splitlines()]
    for number, line in enumerate(lines, 1):
        assert f"\n{number:4} {line}\n" in shown
    checks = sum(line.count("✓ ") for line in shown.splitlines())
    assert "✗" not in shown
    # Those of the steps, the refused copy, and the two that are timed.
    assert f"\nAll {checks + 3} checks passed: " in shown
    assert "begins 6627e8d5 e169c58d bc57ac4c 9b00dbd8" in shown
    copied = [line.split() for line in shown.splitlines() if line.endswith((":1", ":3", ":4"))]
    assert sorted((op, reason, place) for op, reason, *_, place in copied) == [
        *(("asarray", "host", "demo:1"), ("to", "asked", "demo:3"), ("to", "asked", "demo:4"))
    ]
    assert "reshape: " in shown
    assert "line='demo:11'" in shown.replace("\n     ", " ")
    assert "\n  copy " in shown
    assert "\n  philox_bits " in shown
    assert "Where to go next" in shown
    assert shown.count(f"  {system.typed(sys.executable)} -m dml_vk ") == 3
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_demo_whose_check_fails_says_which(monkeypatch, capsys, wrong_copy):
    monkeypatch.setattr(tour, "KNOWN", ((0, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd9"),))
    assert main(["demo"]) == 1
    shown = capsys.readouterr()
    assert "✓ words, ✗ Random123's known answers\n" in shown.out
    assert "copy WRONG" in shown.out
    assert "Where to go next" not in shown.out
    assert shown.err.endswith("these checks failed: Random123's known answers, copy\n")


def test_each_check_of_the_tour_can_fail(monkeypatch):
    names = {"dv": dml_vk, "photo": tour.picture.landscape()}
    for step in tour.STEPS:
        tour.execute(step.code.replace(f"* {tour.PHOTOS // 2}", "* 1"), 1, names)
    monkeypatch.setattr(tour, "PHOTOS", 2)
    for made, step, failing in (
        ("x", 0, {"colours first"}),
        ("batch", 1, {"batch"}),
        ("nchw", 2, {"NCHW"}),
        ("nhwc", 2, {"NHWC"}),
        ("mean", 3, {"mean within 1e-6", "normalised"}),
        ("std", 3, {"std within 1e-6", "normalised"}),
        ("y", 3, {"normalised"}),
        ("words", 4, {"words"}),
    ):
        right = names[made]
        told = tour.STEPS[step].checks(names)
        assert told
        assert all(told.values())
        wrong = right + dml_vk.asarray(1, dtype=right.dtype)
        told = tour.STEPS[step].checks({**names, made: wrong})
        assert {name for name, yes in told.items() if not yes} == failing
    unmoved = {**names, "nchw": names["nhwc"], "nhwc": names["nchw"]}
    assert set(tour.STEPS[2].checks(unmoved).values()) == {False}
    assert tour.refusal(1, names).startswith("reshape: ")
    assert tour.refusal(1, {"dv": dml_vk, "y": names["nchw"]}) == ""


def test_the_demo_adapts_to_the_device_and_the_terminal(monkeypatch):
    assert demo._opening("x", "cpu")[1:]
    assert demo._opening("x", "discrete") == ["Device: x"]
    photo = tour.picture.landscape()
    monkeypatch.setattr(demo, "in_colour", lambda stream: True)
    monkeypatch.setattr(demo, "can_show", lambda text: True)
    assert "▀" in demo._shown(photo)
    monkeypatch.setattr(demo, "can_show", lambda text: False)
    assert demo._shown(photo).isascii()
    assert demo._verdict({"a": True, "b": False}) == "     NumPy: ok a, WRONG b"


def test_bench_checks_and_times_every_case(capsys, tmp_path):
    figures, picture = tmp_path / "bench.json", tmp_path / "bench.svg"
    line = ["bench", "--size", "1", "--json", str(figures), "--plot", str(picture)]
    assert main(line) == 0
    head, rate, _, titles, *rows = capsys.readouterr().out.splitlines()
    found = json.loads(figures.read_text())
    assert tuple(one["name"] for one in found["cases"]) == bench.NAMES
    assert all(one["agrees"] for one in found["cases"])
    assert [row.split()[0] for row in rows] == list(bench.NAMES)
    info = dml_vk.device().info
    assert found["device"]["name"] == info.name
    assert head.startswith(f"Device: {info.name} ")
    assert found["versions"]["dml_vk"] == dml_vk.__version__
    assert found["runtime"] == info.runtime
    assert found["size_mib"] == 1
    copy = found["cases"][0]
    assert copy["of_copy"] == 1
    assert copy["rate"] == pytest.approx(2 * 2**20 / copy["ms"] / 1e6, rel=2e-3)
    assert f"{copy['rate']:.1f} GB/s" in rate
    assert titles.split()[:3] == ["case", "ms", "rate"]
    for one in found["cases"]:
        assert one["times_numpy"] == pytest.approx(one["numpy_ms"] / one["ms"], rel=2e-3)
        if one["unit"] == "GB/s":
            assert one["of_copy"] == pytest.approx(one["rate"] / copy["rate"], rel=2e-3)
        else:
            assert (one["name"], one["of_copy"]) == ("matmul", None)
    bars = ElementTree.parse(picture).getroot().findall(f"{SVG}rect")
    assert len(bars) == len(bench.NAMES)


def test_bench_prints_nothing_but_json_where_that_is_asked_for(capsys):
    assert main(["bench", "--size=1", "--json", "--cases", "exp", "add", "--device", "0"]) == 0
    found = json.loads(capsys.readouterr().out)
    # In the table's order; the copy is measured, and not shown.
    assert [one["name"] for one in found["cases"]] == ["add", "exp"]
    assert all(one["of_copy"] > 0 for one in found["cases"])


def test_bench_says_what_is_wrong(capsys, wrong_copy):
    assert main(["bench", "--size", "1", "--cases", "copy"]) == 1
    shown = capsys.readouterr()
    assert "\ncopy WRONG " in shown.out
    assert shown.err.endswith("copy\n")
    assert main(["bench", "--size", "1", "--cases", "add"]) == 1  # what it is measured by is wrong


def test_bench_fails_early_if_memory_does_not_suffice(capsys):
    for size in ("1000000", str(2**80)):
        assert main(["bench", "--size", size]) == 1
        assert capsys.readouterr().err.startswith("empty: ")


def test_answers_are_compared_one_by_one():
    for name, case in table.against_numpy((1, 2, 4, 4)).items():
        both = Both(case)
        assert both.agree(), name
        expected = (case.into.expected or both.numpys)().copy().reshape(-1)
        expected[-1] += 1
        into = dataclasses.replace(case.into, expected=lambda expected=expected: expected)
        assert not Both(dataclasses.replace(case, into=into)).agree(), name


def test_versions_of_missing_packages_are_none(monkeypatch):
    assert bench._version("no-such-package-at-all") is None
    assert bench._version("numpy") == sys.modules["numpy"].__version__
