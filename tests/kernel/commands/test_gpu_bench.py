"""`bench --gpu`: what it measures, and that a part which fails is told and stops no other."""

from __future__ import annotations

import json
import logging

import numpy as np
import pytest

import dml_vk
from dml_vk.__main__ import main
from dml_vk.commands.cases.table import against_numpy
from dml_vk.commands.gpu import copy_rate, facts, host, kernels, markdown, report, tiles
from dml_vk.observe import dispatches
from dml_vk.runtime.arithmetic import TEXTS
from dml_vk.runtime.rate_check import RateCheck
from dml_vk.runtime.timing import Time

CASES = against_numpy((1, 2, 4, 4))
QUICK = ["bench", "--gpu", "--size", "1", "--cases", "abs", "matmul"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """As few rounds as there may be."""
    monkeypatch.setattr(host, "SECONDS", 0)
    monkeypatch.setattr(kernels, "SECONDS", 0)
    monkeypatch.setattr(kernels, "ROUNDS", 1)
    monkeypatch.setattr(host, "CALLS", 10)
    monkeypatch.setattr(host, "STEPS", 10)
    monkeypatch.setattr(host, "CHAINS", 2)


def test_it_measures_kernels_transfers_and_calls(capsys, tmp_path):
    file = tmp_path / "gpu.json"
    assert main([*QUICK, "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    info = dml_vk.device().info
    assert found["failures"] == []
    assert found["runtime"] == info.runtime
    assert found["facts"]["device"]["name"] == info.name
    assert found["facts"]["limits"]["max_rounds"] == dml_vk.device().profile.max_rounds
    assert found["facts"]["cpu"]["cores"] >= 1
    assert set(found["arithmetic"]) == set(TEXTS)
    rate = found["copy_rate"]
    assert rate["clock"] == "device"
    assert rate["rate"] == pytest.approx(2 * 2**20 / rate["ms"] / 1e6, rel=2e-3)
    magnitudes, product = found["cases"]
    assert (magnitudes["name"], product["name"]) == ("abs", "matmul")
    assert magnitudes["rate"] == pytest.approx(2 * 2**20 / magnitudes["device_ms"] / 1e6, rel=2e-3)
    assert magnitudes["of_copy"] == pytest.approx(magnitudes["rate"] / rate["rate"], rel=2e-3)
    assert (product["unit"], product["of_copy"]) == ("GFLOP/s", None)
    assert found["transfers"]["agrees"]
    assert found["transfers"]["nbytes"] == 2**20
    assert all(us > 0 for us in found["host_us"].values())
    assert (found["order"]["wrong"], found["order"]["operations"]) == (0, 60)
    shown = capsys.readouterr().out
    assert shown == markdown.as_markdown(found) + "\n"
    assert shown.startswith(f"Device: {info.name} ({info.type}), ")
    assert "\n| abs: " in shown
    assert "FAILED" not in shown


def test_the_report_goes_to_stdout_where_that_is_asked_for(capsys):
    assert main([*QUICK[:4], "--cases", "abs", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["cases"]) == 1


def test_a_part_that_fails_is_told_and_the_others_run(capsys, monkeypatch, tmp_path):
    def broken(*given):
        raise OSError("the device is lost")

    for module, name in ((report, "facts"), (report, "copy_rate"), (host, "costs")):
        monkeypatch.setattr(module, name, broken)
    file = tmp_path / "gpu.json"
    assert main([*QUICK[:4], "--cases", "abs", "--json", str(file)]) == 1
    found = json.loads(file.read_text())
    failed = ["facts", "copy_rate", "host_us"]
    assert found["failures"] == [f"{name}: OSError: the device is lost" for name in failed]
    assert found["cases"][0]["of_copy"] is None
    assert found["order"]["wrong"] == 0
    assert "\n- FAILED: facts: OSError: the device is lost\n" in capsys.readouterr().out


def test_what_is_done_is_in_the_file_after_each_part(monkeypatch, tmp_path):
    file, seen = tmp_path / "gpu.json", []

    def look():
        seen.append(json.loads(file.read_text()))
        return {}

    monkeypatch.setattr(host, "costs", look)
    main([*QUICK, "--json", str(file)])
    assert [len(one["cases"]) for one in seen] == [2]
    assert "order" not in seen[0]


def test_wrong_results_are_failures():
    right = dict.fromkeys(TEXTS, True)
    assert not report._wrong("arithmetic", {**right, "keeps_subnormals": False})
    (wrong,) = report._wrong("arithmetic", {**right, "keeps_nan": False})
    assert "keep NaN" in wrong
    assert report._wrong("abs", {"agrees": False})
    assert report._wrong("order", {"wrong": 1, "chains": 9})[0].startswith("1 of 9 chains")


def test_a_chain_that_ends_otherwise_is_counted(monkeypatch):
    monkeypatch.setattr(host, "MULTIPLIER", 5)
    chained = host._chained
    monkeypatch.setattr(
        host,
        "_chained",
        lambda x, y: chained(x, y) + (0 if isinstance(x, np.ndarray) else 1),
    )
    assert host.order()["wrong"] == 2


def test_the_copy_rate_is_that_of_the_faster_way(monkeypatch):
    times = [Time(50.0, "device"), Time(80.0, "host")]
    monkeypatch.setattr(RateCheck, "copy_times", lambda check, nbytes, rounds: times)
    found = copy_rate.copy_rate(dml_vk.device(), 10**6)
    expected = {"way": "kernel", "rate": 40, "ms": 0.05, "clock": "device", "by_command": 25}
    assert expected.items() <= found.items()
    times.reverse()
    found = copy_rate.copy_rate(dml_vk.device(), 10**6)
    assert (found["way"], found["by_kernel"], found["clock"]) == ("command", 25, "device")


def test_without_a_clock_of_the_device_the_hosts_is_used(monkeypatch):
    monkeypatch.setattr(dml_vk.device()._runtime, "microseconds", lambda ticket: None)
    found = copy_rate.copy_rate(dml_vk.device(), 2**16)
    assert (found["clock"], found["rate"] > 0) == ("host", True)
    row = kernels.measured(CASES["abs"], 1.0)
    assert (row.device_ms, row.rate > 0) == (None, True)
    assert kernels.measured(CASES["matmul"], 1.0).unit == "GFLOP/s"
    lines = markdown.as_markdown({"cases": [vars(row)], "failures": [], "size_mib": 1})
    assert f"| abs: {row.about} |  | " in lines
    assert markdown.as_markdown({"failures": []}) == ""


def test_measuring_leaves_the_log_as_it_was():
    before = dispatches.logger.level, list(dispatches.logger.handlers)
    kernels.measured(CASES["abs"], 1.0)
    dispatches.logger.debug("heard by nobody")
    assert (dispatches.logger.level, dispatches.logger.handlers) == before
    record = logging.makeLogRecord({"msg": "a flush, which has no time of its own"})
    kernels._Times().emit(record)


def test_the_cpu_is_named_where_the_system_tells(monkeypatch, tmp_path):
    told = tmp_path / "cpuinfo"
    told.write_text("processor : 0\nmodel name\t: Fast One\n")
    monkeypatch.setattr(facts, "CPUINFO", told)
    assert facts._cpu() == "Fast One"
    told.write_text("processor : 0\n")
    monkeypatch.setattr(facts.platform, "processor", lambda: "other")
    assert facts._cpu() == "other"
    told.unlink()
    assert facts._cpu() == "other"


def test_a_chart_and_the_gpu_are_not_asked_for_together(capsys, tmp_path):
    with pytest.raises(SystemExit):
        main([*QUICK, "--plot", str(tmp_path / "a.svg")])
    assert "not allowed with argument" in capsys.readouterr().err


def test_tiles_are_timed_one_by_one(capsys, monkeypatch, tmp_path):
    few = tiles.TILES[-1:]
    monkeypatch.setattr(tiles, "TILES", few)
    monkeypatch.setattr(tiles, "SIZES_OF_CPU", (32, 40))
    file = tmp_path / "tiles.json"
    assert main(["bench", "matmul", "--tiles", "--json", str(file)]) == 0
    report = json.loads(file.read_text())
    exact, fused = report["tiles"]
    assert report["device"]["name"] == dml_vk.device().info.name
    assert (exact["tile"], exact["fused"], fused["fused"]) == (str(few[0]), False, True)
    assert (exact["lanes"], exact["shared_bytes"]) == (64, 2 * 32 * 16 * 4)
    assert set(exact["rates"]) == set(fused["rates"]) == {"32", "40"}
    assert all(rate > 0 for rate in exact["rates"].values())
    shown = capsys.readouterr().out
    assert f"{few[0]}     64    4096  exact" in shown
    assert main(["bench", "matmul", "--tiles", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tiles"][0]["tile"] == str(few[0])


@pytest.mark.parametrize(
    "wanted", [["abs"], ["--cases", "abs"], ["matmul", "abs"], ["--cases", "matmul", "abs"]]
)
def test_only_products_have_tiles(capsys, wanted):
    assert main(["bench", "--tiles", *wanted]) == 2
    assert "needs matmul" in capsys.readouterr().err


def test_cases_may_be_named_without_an_option(capsys):
    assert main(["bench", "--gpu", "--size", "1", "abs", "--json"]) == 0
    assert [case["name"] for case in json.loads(capsys.readouterr().out)["cases"]] == ["abs"]
    with pytest.raises(SystemExit):
        main(["bench", "abc"])
    assert "'abc' is none of " in capsys.readouterr().err
